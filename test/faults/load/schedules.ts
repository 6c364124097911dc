import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryDir } from '../../../local/config.ts';
import type { Answer, FaultClient } from '../client.ts';
import type { KnownSchedule, Schedules } from '../schedules.ts';
import type { StackUnderTest } from '../stack-under-test.ts';

const minuteMs = 60_000;

/** What each fire produces: a query of a table that the load writes. */
const playbook = {
  title: 'Items',
  instructions: '# Items\n\n- show 3 rows of items\n- total expected of items',
  parameters: { tag: { type: 'string', required: true } },
  output: { type: 'report', title: 'Items of ${tag}' },
  model: 'offline',
};

const mailOf = (name: string) => `${name}@fires.example`;
const folderOf = (name: string, version: number) => `fires/${name}/${version}`;

/** Everything that a schedule is written with, as in a PUT. */
export function scheduleBody(
  target: { projectId: string; playbookId: string },
  name: string,
  version: number,
  isDelivered: boolean,
) {
  return {
    kind: 'playbook',
    target: { project_id: target.projectId, playbook_id: target.playbookId },
    description: `Version ${version}`,
    // Hours from now: it fires only when triggered.
    schedule: { type: 'daily', zone_id: 'UTC', time_of_day: hoursFromNow(12) },
    config: {
      params: { tag: name },
      ...(isDelivered
        ? { output_folder: folderOf(name, version), email_recipients: [{ email: mailOf(name) }] }
        : {}),
    },
  };
}

const hoursFromNow = (hours: number) =>
  new Date(Date.now() + hours * 60 * minuteMs).toISOString().slice(11, 16);

/**
 * A separate project with a playbook of the offline analyst, schedules that are triggered, and some that fire
 * every minute.
 */
export async function prepareSchedules(
  client: FaultClient,
  stack: StackUnderTest,
  tableId: string,
): Promise<Schedules> {
  const create = async (path: string, body: unknown) => {
    const settled = await client.settle({ kind: 'schedule', method: 'POST', path, body });
    if (settled.outcome !== 'acknowledged') throw new Error(`${path}: ${JSON.stringify(settled)}`);
    return String((settled.answer satisfies Answer).body.data?.['id']);
  };
  const projectId = await create('/v1/projects', { name: 'Schedules' });
  await create(`/v1/projects/${projectId}/catalog-entries`, { table_id: tableId });
  const playbookId = await create(`/v1/projects/${projectId}/playbooks`, playbook);
  const target = { projectId, playbookId };
  const known: KnownSchedule[] = [];
  for (const name of ['asked-1', 'asked-2', 'bare-1']) {
    const isDelivered = name !== 'bare-1';
    const askedMs = Date.now();
    const id = await create('/v1/schedules', scheduleBody(target, name, 0, isDelivered));
    const delivers = isDelivered
      ? { folders: [folderOf(name, 0)], recipient: mailOf(name) }
      : { folders: [], recipient: undefined };
    const changes = [{ to: 'active' as const, askedMs, knownMs: Date.now() }];
    known.push({ name, id, everyMs: undefined, ...delivers, changes });
  }
  known.push(...(await importMinutes(client, stack, target)));
  return { projectId, playbookId, known, triggers: [], outages: [] };
}

/** Cadences that cannot be written over the API are imported with the operator's command. */
async function importMinutes(
  client: FaultClient,
  stack: StackUnderTest,
  target: { projectId: string; playbookId: string },
): Promise<KnownSchedule[]> {
  const settled = await client.settle({ kind: 'organization', method: 'GET', path: '/v1/organization' });
  if (settled.outcome !== 'acknowledged') throw new Error(JSON.stringify(settled));
  const kinds = [
    { name: 'cron-1', everyMs: minuteMs, schedule: { type: 'cron', cronExpression: '* * * * *' } },
    { name: 'interval-1', everyMs: minuteMs, schedule: { type: 'interval', everyMinutes: 1 } },
    // So that every round has some.
    {
      name: 'seconds-1',
      everyMs: minuteMs / 3,
      schedule: { type: 'cron', cronExpression: '*/20 * * * * *' },
    },
  ];
  const records = kinds.map(({ name, schedule }) => ({
    kind: 'playbook',
    key: name,
    organizationId: settled.answer.body.data?.['id'],
    target,
    schedule: { zoneId: 'UTC', ...schedule },
    config: {
      params: { tag: name },
      outputFolder: name === 'interval-1' ? '' : folderOf(name, 0),
      emailRecipients: name === 'interval-1' ? [] : [{ email: mailOf(name) }],
    },
    createdByUserId: stack.state.clientId,
    createdAt: '2026-01-01T00:00:00Z',
  }));
  const file = join(stack.dataDir, 'schedules.ndjson');
  await writeFile(file, records.map((record) => JSON.stringify(record)).join('\n'));
  const askedMs = Date.now();
  const { stdout } = await promisify(execFile)(process.execPath, ['migrations/import-legacy.ts', file], {
    cwd: repositoryDir,
    env: { ...process.env, ...stack.state.environment },
  });
  const changes = [{ to: 'active' as const, askedMs, knownMs: Date.now() }];
  await rm(file);
  return kinds.map(({ name, everyMs }) => {
    const id = new RegExp(`^(\\S+) imported \\(${name}\\)$`, 'm').exec(stdout)?.[1];
    if (id === undefined) throw new Error(`${name} was not imported: ${stdout}`);
    const isDelivered = name !== 'interval-1';
    return {
      name,
      id,
      everyMs,
      folders: isDelivered ? [folderOf(name, 0)] : [],
      recipient: isDelivered ? mailOf(name) : undefined,
      changes: [...changes],
    };
  });
}
