import type { FaultClient } from '../client.ts';
import { createRandom } from '../random.ts';
import { explained } from '../runs.ts';
import type { Lane, LoadContext } from './context.ts';
import { endOf } from './ends.ts';
import { pauseBetween } from './rows-lanes.ts';

/** A table whose content is replaced as a whole, which a blocking test refuses where a row is marked. */
export interface Gated {
  tableId: string;
  /** Tests of the table that is appended to, which hold in each whole state of it. */
  definitionIds: string[];
  /** Numbers of contents that were sent with a marked row. */
  bad: Set<number>;
}

const rowsOfContent = 20;

export async function prepareGated(client: FaultClient, appends: string): Promise<Gated> {
  const create = async (path: string, body: unknown) => {
    const settled = await client.settle({ kind: 'gated table', method: 'POST', path, body });
    if (settled.outcome !== 'acknowledged') throw new Error(`${path}: ${JSON.stringify(settled)}`);
    return settled.answer.body.data ?? {};
  };
  const columns = [
    { name: 'content', data_type: 'INTEGER' },
    { name: 'is_good', data_type: 'BOOLEAN' },
  ];
  const table = await create('/v1/grid/tables', { name: 'gated', kind: 'data', columns });
  const tableId = String(table['tableId']);
  const define = async (target: string, kind: string, params: object, blocking: boolean) => {
    const body = { name: kind, kind, params, target: { table_id: target }, blocking };
    return String((await create('/v1/verification-tests/definitions', body))['id']);
  };
  await define(tableId, 'expression', { expression: 'is_good' }, true);
  const torn =
    'SELECT op_no FROM this WHERE s_id > 0 GROUP BY op_no HAVING count(*) <> max(expected) OR count(DISTINCT s_id) <> count(*)';
  const definitionIds = [
    await define(appends, 'sql', { sql: torn }, false),
    await define(appends, 'not_null', { columns: ['s_id'] }, false),
    await define(appends, 'unique', { columns: ['s_id'] }, false),
  ];
  return { tableId, definitionIds, bad: new Set() };
}

export function verificationLanes(context: LoadContext, seed: number): Lane[] {
  return [gateLane(context, seed), testLane(context, seed), gatedReaderLane(context, seed)];
}

/** Replaces the content, every other time by one that has to be refused. */
function gateLane(context: LoadContext, seed: number): Lane {
  const random = createRandom(seed, 'gate');
  let content = 0;
  return {
    name: 'gate',
    async step() {
      content += 1;
      await replace(context, content, random.chance(0.5) ? random.int(0, rowsOfContent - 1) : undefined);
      await pauseBetween(context, random.int(100, 1_000));
    },
  };
}

async function replace(context: LoadContext, content: number, marked: number | undefined): Promise<void> {
  const { client, journal, gated } = context;
  if (marked !== undefined) gated.bad.add(content);
  const at = `/v1/tables/${gated.tableId}/ingestion-batches`;
  const call = async (kind: string, method: 'POST' | 'PUT', path: string, body: unknown) => {
    const settled = await client.settle({ kind, method, path, body });
    if (settled.outcome === 'refused')
      journal.breach('unexpected', `${kind} of content ${content}: ${JSON.stringify(settled.answer.body)}`);
    return settled.outcome === 'acknowledged' ? settled.answer.body.data : undefined;
  };
  const open = { mode: 'replace', client_batch_id: `gated-${content}` };
  const batch = await call('gated open', 'POST', at, open);
  if (batch === undefined) return;
  const path = `${at}/${batch['id']}`;
  const records = Array.from({ length: rowsOfContent }, (_, row) => ({
    ...{ s_id: content * 100 + row, content, is_good: row !== marked },
  }));
  if ((await call('gated page', 'PUT', `${path}/pages/1`, { records })) === undefined) return;
  if ((await call('gated complete', 'POST', `${path}/complete`, { page_count: 1 })) === undefined) return;
  const ended = await endOf(context, path, (data) => ['applied', 'failed'].includes(String(data['status'])));
  if (ended === undefined) {
    if (!context.signal.aborted) journal.breach('verificationStuck', path);
    return;
  }
  const { status, error } = ended as { status: string; error: { code: string; runId?: string } | null };
  journal.count('gates', marked === undefined ? `good ${status}` : `bad ${status}`);
  const isRefused = status === 'failed' && error?.code === 'verification_failed';
  const isExplained = status === 'failed' && explained.includes(error?.code ?? '');
  const isRight = marked === undefined ? status === 'applied' : isRefused;
  if (!isRight && !isExplained)
    journal.breach('verificationEnd', `content ${content}, marked ${marked}: ${JSON.stringify(ended)}`);
  if (isRefused) await lookAtRefusal(context, String(error?.runId));
}

/** What refused a content is there once, with its one failing row. */
async function lookAtRefusal(context: LoadContext, runId: string): Promise<void> {
  const path = `/v1/verification-tests/runs/${runId}`;
  const run = await endOf(context, path);
  const results = (run?.['results'] ?? []) as { failingRows: number; failuresTableId: string | null }[];
  const isRight =
    results.length === 1 && results[0]?.failingRows === 1 && results[0].failuresTableId !== null;
  if (run !== undefined && !isRight)
    context.journal.breach('verificationEnd', `refusal ${runId}: ${JSON.stringify(results)}`);
}

/** Tests the table that is appended to, as it is at some moment, and sometimes cancels. */
function testLane(context: LoadContext, seed: number): Lane {
  const random = createRandom(seed, 'tests');
  const { client, journal, gated } = context;
  return {
    name: 'tests',
    async step() {
      const cancelAfterMs = random.chance(0.2) ? random.int(0, 1_000) : undefined;
      const path = '/v1/verification-tests/runs';
      const body = { table_ids: [context.tables.appends] };
      const started = await client.settle({ kind: 'verification', method: 'POST', path, body });
      if (started.outcome !== 'acknowledged') {
        if (started.outcome === 'refused')
          journal.breach('unexpected', `verification: ${JSON.stringify(started.answer.body)}`);
        return;
      }
      const at = `${path}/${started.answer.body.data?.['id']}`;
      if (cancelAfterMs !== undefined) {
        await pauseBetween(context, cancelAfterMs);
        const cancel = { kind: 'cancel of a verification', method: 'POST' as const };
        await client.settle({ ...cancel, path: `${at}/cancel?confirm=true` });
      }
      const ended = await endOf(context, at);
      if (ended === undefined) {
        if (!context.signal.aborted) journal.breach('verificationStuck', at);
        return;
      }
      lookAtRun(context, at, ended, gated.definitionIds);
      await pauseBetween(context, random.int(200, 1_500));
    },
  };
}

function lookAtRun(
  { journal }: LoadContext,
  at: string,
  run: Record<string, unknown>,
  definitionIds: readonly string[],
): void {
  const { status, outcome, results, error } = run as {
    status: string;
    outcome: string | null;
    results: { definitionId: string; status: string }[];
    error: { code: string } | null;
  };
  journal.count('verifications', status);
  if (status === 'failed' && !explained.includes(error?.code ?? ''))
    journal.breach('verificationEnd', `${at}: ${JSON.stringify(error)}`);
  const resultIds = results.map((result) => result.definitionId);
  if (new Set(resultIds).size !== resultIds.length)
    journal.breach('doubled', `results of ${at}: ${resultIds.join(' ')}`);
  if (status !== 'succeeded') return;
  const isWhole =
    definitionIds.every((id) => resultIds.includes(id)) && resultIds.length === definitionIds.length;
  if (outcome !== 'passed' || !isWhole)
    journal.breach('verificationEnd', `${at}: ${outcome} ${JSON.stringify(results)}`);
}

/** What was refused is never seen, and what is seen is one whole content. */
function gatedReaderLane(context: LoadContext, seed: number): Lane {
  const random = createRandom(seed, 'gated reader');
  return {
    name: 'gated reader',
    async step() {
      await readGated(context);
      await pauseBetween(context, random.int(300, 1_500));
    },
  };
}

async function readGated({ client, journal, gated }: LoadContext): Promise<void> {
  const sql =
    'SELECT content, count(*) AS seen, count(*) FILTER (WHERE NOT is_good) AS bad FROM gated GROUP BY content';
  const body = { sql, row_format: 'rows', timeout_ms: 6_000 };
  const answer = await client.attempt({
    kind: 'gated query',
    method: 'POST',
    path: '/v1/query-executions',
    body,
  });
  if (answer?.status !== 200) return;
  journal.count('readers', 'gated contents looked through');
  const rows = (answer.body.data?.['rows'] ?? []) as { content: number; seen: number; bad: number }[];
  for (const { content, seen, bad } of rows)
    if (rows.length !== 1 || seen !== rowsOfContent || bad !== 0 || gated.bad.has(content))
      journal.breach('gateLeaked', `content ${content}: ${seen} rows, ${bad} bad, beside ${rows.length - 1}`);
}
