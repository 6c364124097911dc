import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { originOf } from '../../support/mcp.ts';
import { graphOf, node, workflowsOf } from '../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';
import { runCli } from './run-cli.ts';

const workspace = useWorkspace();
let folder: string;

beforeAll(async () => {
  await workspace.listen();
  folder = await mkdtemp(join(tmpdir(), 'workspace-files-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The command line of one organization, which has one project. */
async function organization() {
  const client = await workspace.organization();
  const made = await client.call('POST', '/v1/projects', { body: { name: 'Sales' } });
  const run = (args: string[], more: Record<string, string> = {}) =>
    runCli(args, {
      cwd: folder,
      env: {
        WORKSPACE_URL: originOf(workspace),
        WORKSPACE_CLIENT_ID: client.clientId,
        WORKSPACE_CLIENT_SECRET: client.clientSecret,
        WORKSPACE_CONFIG_DIR: join(folder, 'config'),
        ...more,
      },
    });
  return { client, projectId: made.body.data.id as string, run };
}

async function filled(client: TestClient, projectId: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const answer = await client.call('POST', path, { body });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data.id as string;
  };
  const playbook_id = await post(`/v1/projects/${projectId}/playbooks`, {
    title: 'Cities: by ${city}',
    instructions: 'total amount in ${city}',
    parameters: { city: { type: 'string', required: true } },
    output: { type: 'report', title: 'Cities' },
  });
  const target = { selector: { name_pattern: 'orders%' } };
  await post('/v1/verification-tests/definitions', {
    name: 'rows',
    kind: 'row_count',
    params: { min: 1 },
    target,
  });
  const config = { base_url: 'https://shop.example.com', auth_type: 'bearer' };
  await post('/v1/connections/data', {
    name: 'Web shop',
    type: 'http',
    config,
    secrets: { token: 'a-secret-token' },
  });
  const scheduled = { kind: 'playbook', target: { project_id: projectId, playbook_id } };
  const daily = { type: 'daily', zone_id: 'Europe/Lisbon', time_of_day: '07:00' };
  await post('/v1/schedules', {
    ...scheduled,
    description: 'Every morning',
    schedule: daily,
    config: { params: { city: 'Porto' }, output_folder: 'cities' },
  });
  const weekly = { type: 'weekly', zone_id: 'UTC', time_of_day: '12:00', days_of_week: ['MONDAY'] };
  const id = await post('/v1/schedules', {
    ...scheduled,
    schedule: weekly,
    config: { params: { city: 'Lagos' } },
  });
  expect((await client.call('POST', `/v1/schedules/${id}/pause`)).status).toBe(200);
  const { draft } = workflowsOf(client, () => projectId);
  const schedule = { type: 'daily', zone_id: 'Europe/Berlin', time_of_day: '07:00' };
  await draft(graphOf([node('one', 'query', { sql: 'SELECT 1 AS one' })]), {
    triggers: [
      { type: 'schedule', schedule },
      { type: 'data_event', config: { table_ids: ['tbl_01kahz3v6dfyvb1s8m3h9q2w4x'], window_seconds: 30 } },
    ],
  });
}

test('a workspace is pulled into files, changed by them, and made anew elsewhere', async () => {
  const one = await organization();
  await filled(one.client, one.projectId);
  const pulled = await one.run(['pull', 'git']);
  expect([pulled.code, pulled.out], pulled.err).toEqual([0, 'Wrote 6 files.\n']);
  const files = (await readdir(join(folder, 'git'), { recursive: true })).filter((name) =>
    name.endsWith('.json'),
  );
  expect(files.sort()).toEqual([
    'connections/web-shop.json',
    'playbooks/cities-by-city.json',
    'schedules/cities-by-city-every-morning.json',
    'schedules/cities-by-city.json',
    'tests/rows.json',
    'workflows/sales.json',
  ]);
  const connection = await readFile(join(folder, 'git/connections/web-shop.json'), 'utf8');
  expect(connection).not.toContain('a-secret');
  expect(JSON.parse(connection).secrets).toEqual({ token: '${WEB_SHOP_TOKEN}' });

  const same = await one.run(['--json', 'apply', 'git', '--plan']);
  expect(JSON.parse(same.out).map(({ does }: { does: string }) => does)).toEqual(Array(6).fill('nothing'));

  const playbook = join(folder, 'git/playbooks/cities-by-city.json');
  const document = JSON.parse(await readFile(playbook, 'utf8'));
  await writeFile(playbook, JSON.stringify({ ...document, instructions: 'average amount in ${city}' }));
  const asked = await one.run(['apply', 'git']);
  expect([asked.code, asked.err]).toEqual([
    1,
    expect.stringContaining('~ playbooks Cities: by ${city} (instructions)'),
  ]);
  const applied = await one.run(['apply', 'git', '--yes']);
  expect([applied.code, applied.out]).toEqual([0, 'Applied 1 of 6.\n']);
  expect((await one.run(['apply', 'git', '--yes'])).out).toBe('Applied 0 of 6.\n');

  const other = await organization();
  const without = await other.run(['apply', 'git', '--yes']);
  expect([without.code, without.err]).toEqual([1, expect.stringContaining("WEB_SHOP_TOKEN isn't set")]);
  const whole = await other.run(['apply', 'git', '--yes'], { WEB_SHOP_TOKEN: 'another-secret' });
  expect(whole.code, whole.err).toBe(0);
  const again = await other.run(['--json', 'apply', 'git', '--plan']);
  const changes = JSON.parse(again.out).filter(({ does }: { does: string }) => does !== 'nothing');
  // The triggers of a copy have ids of their own.
  expect(changes.map(({ name, fields }: { name: string; fields: string[] }) => [name, fields])).toEqual([
    ['Sales', ['triggers']],
  ]);
});

test('members that a file leaves out are no difference where they are empty', async () => {
  const { run } = await organization();
  const file = join(folder, 'short/playbooks/cities.json');
  await mkdir(join(folder, 'short/playbooks'), { recursive: true });
  const document = {
    title: 'Cities',
    instructions: 'total amount in ${city}',
    parameters: { city: { type: 'string', required: true } },
  };
  await writeFile(file, JSON.stringify(document));
  expect((await run(['apply', 'short', '--yes'])).out).toBe('Applied 1 of 1.\n');
  expect((await run(['apply', 'short', '--yes'])).out).toBe('Applied 0 of 1.\n');
  const parameters = { city: { type: 'string', required: true }, least: { type: 'number', default: 3 } };
  await writeFile(file, JSON.stringify({ ...document, parameters }));
  expect((await run(['apply', 'short', '--yes'])).out).toBe('Applied 1 of 1.\n');
  await writeFile(file, JSON.stringify(document));
  expect((await run(['apply', 'short', '--yes'])).out).toBe('Applied 1 of 1.\n');
});

test('schedules are found by their playbook and description, and paused and resumed by their files', async () => {
  const { client, projectId, run } = await organization();
  await filled(client, projectId);
  expect((await run(['pull', 'schedules-only'])).code).toBe(0);
  const file = join(folder, 'schedules-only/schedules/cities-by-city.json');
  const document = JSON.parse(await readFile(file, 'utf8'));
  expect(document).toEqual({
    playbook: 'Cities: by ${city}',
    description: '',
    schedule: { type: 'weekly', zone_id: 'UTC', time_of_day: '12:00', days_of_week: ['MONDAY'] },
    config: { params: { city: 'Lagos' }, output_folder: '', email_recipients: [] },
    status: 'paused',
  });
  const apply = async (changed: object) => {
    await writeFile(file, JSON.stringify({ ...document, ...changed }));
    const { code, out, err } = await run(['apply', 'schedules-only', '--yes']);
    const { items } = (await client.call('GET', `/v1/schedules?project_id=${projectId}`)).body;
    return { code, said: out + err, items: items as { id: string; description: string; status: string }[] };
  };
  const config = { ...document.config, params: { city: 'Faro' } };
  const changed = await apply({ config, status: 'active' });
  expect([changed.code, changed.said]).toEqual([0, expect.stringContaining('(config, status)')]);
  const [own] = changed.items.filter(({ description }) => description === '');
  expect(own).toMatchObject({ status: 'active', config: { params: { city: 'Faro' } } });
  const paused = await apply({ config, status: 'paused' });
  const { id, config: set } = own as unknown as { id: string; config: object };
  expect(paused.items).toContainEqual(expect.objectContaining({ id, config: set, status: 'paused' }));
  const another = await apply({ config, description: 'Mondays' });
  expect(another.items.map(({ description, status }) => [description, status])).toEqual([
    ['Mondays', 'paused'],
    ['', 'paused'],
    ['Every morning', 'active'],
  ]);
  const nobodys = await apply({ playbook: 'Unknown' });
  expect([nobodys.code, nobodys.said]).toEqual([1, expect.stringContaining('no playbook called Unknown')]);
});

test('files that cannot be meant are refused before anything is done', async () => {
  const { run } = await organization();
  const apply = async (name: string, text: string) => {
    const directory = join(folder, 'wrong');
    await rm(directory, { recursive: true, force: true });
    await mkdir(join(directory, 'playbooks'), { recursive: true });
    await mkdir(join(directory, 'connections'), { recursive: true });
    await writeFile(join(directory, name), text);
    const { code, err } = await run(['apply', 'wrong', '--yes']);
    return [code, err] as const;
  };
  expect(await apply('playbooks/a.json', '{')).toEqual([1, expect.stringContaining("isn't valid JSON")]);
  expect(await apply('playbooks/a.json', '[]')).toEqual([
    1,
    expect.stringContaining('must contain a JSON object'),
  ]);
  expect(await apply('playbooks/a.json', '{}')).toEqual([1, expect.stringContaining('has no title')]);
  expect(await apply('connections/a.json', '{"name":"x","type":"http","secrets":{"token":"plain"}}')).toEqual(
    [2, expect.stringContaining('${NAME}')],
  );
  expect((await run(['apply', 'nowhere', '--yes'])).err).toContain('has no files');
});
