/**
 * What one tenant can do to another: each attack in a loop, while another organization requests `/v1/me` and
 * runs a small query.
 *
 *   npm run attacks -- [--seconds N] [--only TEXT …]
 *
 * Starts its own stack on loopback, prints a line per attack, and exits with 1 if a process died.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { provisionOrganization } from '../../domain/workspace/organizations/provision.ts';
import { createJournal } from '../faults/journal.ts';
import { type StackUnderTest, startStackUnderTest } from '../faults/stack-under-test.ts';
import { attacks } from './attacks.ts';
import { usualReport } from './report-attacks.ts';
import {
  type Credentials,
  importEnd,
  importFile,
  newTable,
  openSession,
  type Session,
  uploadFile,
} from './session.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string' }, only: { type: 'string', multiple: true } },
});
const seconds = Math.min(600, Number(values.seconds ?? 60));

const report = (line: string) => void process.stdout.write(`${line}\n`);
const deaths: string[] = [];
const stack = await startStackUnderTest({
  journal: createJournal(report),
  report,
  onDeath: (part) => deaths.push(part),
});
let code = 2;
try {
  code = await run(stack);
} finally {
  await stack.stop(false);
}
process.exit(code);

async function newSession(name: string): Promise<{ credentials: Credentials; session: Session }> {
  const made = await provisionOrganization({ DATABASE_URL: stack.state.databaseUrl }, { name });
  const credentials = { apiUrl: stack.state.apiUrl, ...made };
  return { credentials, session: await openSession(credentials) };
}

async function run({ pidOf }: StackUnderTest): Promise<number> {
  const { session: victim } = await newSession('Victim');
  const table = await newTable(victim, [{ name: 'a', data_type: 'INTEGER' }]);
  const rows = Array.from({ length: 1_000 }, (_, i) => ({ s_id: i, a: i }));
  await victim.call('POST', `/v1/tables/${table}/rows`, { rows });
  const named = (await victim.call('GET', `/v1/tables/${table}`)).body.data.name as string;
  const small = await uploadFile(victim, 'small.csv', Buffer.from('a,b\n1,2\n'.repeat(100)));
  report(
    '| attack | answers | me p50 | me p99 | me max | query p99 | a PDF alone, at most | 100 rows imported in | API MiB before, at most, after | died |',
  );
  report('|---|---|---|---|---|---|---|---|---|---|');
  await followConversation(victim);
  const ask = () =>
    victim.call('POST', '/v1/query-executions', { sql: `SELECT sum(a) AS s FROM "${named}"` });
  // The victim is warmed up: the first use of a process is not measured.
  const askPdf = await usualReport(victim);
  for (let round = 0; round < 3; round += 1) await Promise.all([ask(), ask(), askPdf()]);
  for (const { name } of attacks.filter(
    ({ name }) => values.only?.some((part) => name.includes(part)) ?? true,
  )) {
    const { credentials } = await newSession('Attacker');
    const before = deaths.length;
    const memoryBefore = rssMib(pidOf('api'));
    const aloneMs = performance.now();
    await askPdf();
    const pdfAlone = Math.round(performance.now() - aloneMs);
    const attacker = fork(new URL('./attacker.ts', import.meta.url));
    attacker.send({ ...credentials, attack: name });
    await once(attacker, 'message');
    const measured = await measure(victim, { ask, askPdf }, small, () => rssMib(pidOf('api')));
    const answers = once(attacker, 'message');
    attacker.send('stop');
    const [answered] = (await Promise.race([answers, delay(5_000, [{}])])) as [Record<string, number>];
    attacker.kill('SIGKILL');
    await delay(20_000);
    const { me, query, pdf, imported, memoryMost } = measured;
    const cells = [
      name,
      Object.entries(answered)
        .map(([answer, count]) => `${count} × ${answer}`)
        .join(', '),
      ...[quantile(me, 0.5), quantile(me, 0.99), quantile(me, 1), quantile(query, 0.99)].map(
        (ms) => `${ms} ms`,
      ),
      `${pdfAlone}, ${quantile(pdf, 1)} ms`,
      imported,
      `${memoryBefore}, ${memoryMost}, ${rssMib(pidOf('api'))}`,
      deaths.slice(before).join(' ') || 'nothing',
    ];
    report(`| ${cells.join(' | ')} |`);
  }
  return deaths.length === 0 ? 0 : 1;
}

/** Follows a conversation until the process ends, so that the service listens for notifications. */
async function followConversation(session: Session): Promise<void> {
  const project = await session.call('POST', '/v1/projects', { name: 'Talks' });
  const path = `/v1/projects/${project.body.data.id}/conversations`;
  const { id } = (await session.call('POST', path, {})).body.data;
  const { body } = await fetch(`${session.apiUrl}${path}/${id}/events`, { headers: session.headers });
  const reader = body!.getReader();
  const read = (): Promise<void> =>
    reader.read().then(
      ({ done }) => (done ? undefined : read()),
      () => undefined,
    );
  void read();
}

/**
 * Sends at a fixed pace, whether or not the previous request was answered, so that waiting requests are
 * measured.
 */
async function measure(
  victim: Session,
  { ask, askPdf }: Record<'ask' | 'askPdf', () => Promise<{ status: number }>>,
  small: { project: string; file: string },
  memory: () => number,
) {
  const me: number[] = [];
  const query: number[] = [];
  const pdf: number[] = [];
  let memoryMost = 0;
  const pending = new Set<Promise<unknown>>();
  const timed = (into: number[], work: () => Promise<{ status: number }>) => {
    const startedMs = performance.now();
    const one = work()
      .then(({ status }) =>
        into.push(status === 200 ? performance.now() - startedMs : Number.POSITIVE_INFINITY),
      )
      .catch(() => into.push(Number.POSITIVE_INFINITY))
      .finally(() => pending.delete(one));
    pending.add(one);
  };
  const startedMs = Date.now();
  const importing = importFile(victim, small, `small_${Date.now()}`)
    .then((id) => importEnd(victim, id))
    .then((status) => `${((Date.now() - startedMs) / 1_000).toFixed(1)} s ${status}`)
    .catch((error: Error) => error.message);
  for (let tick = 0; Date.now() - startedMs < seconds * 1_000; tick += 1) {
    timed(me, () => victim.call('GET', '/v1/me'));
    if (tick % 20 === 0) {
      memoryMost = Math.max(memoryMost, memory());
      timed(query, ask);
    }
    if (tick % 100 === 50) timed(pdf, askPdf);
    await delay(50);
  }
  await Promise.race([Promise.all(pending), delay(30_000)]);
  const imported = await Promise.race([importing, delay(1_000, `more than ${seconds} s`)]);
  return { me, query, pdf, imported, memoryMost };
}

function quantile(measured: readonly number[], part: number): number {
  const sorted = measured.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN);
}

function rssMib(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const match = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(match?.[1] ?? 0) / 1_024);
}
