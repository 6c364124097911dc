import { createHash } from 'node:crypto';
import { createRandom } from '../random.ts';
import { tableKeys } from '../rows.ts';
import { explained } from '../runs.ts';
import type { Lane, LoadContext } from './context.ts';
import { endOf } from './ends.ts';
import { pauseBetween } from './rows-lanes.ts';

interface Exported {
  id: string;
  status: string;
  rowsWritten: number;
  bytesWritten: number;
  files: { url: string; name: string; sizeBytes: number; sha256: string }[];
  error: { code: string } | null;
}

/** Exports tables as they are at some moment, reads what was written, and sometimes cancels. */
export function exportLane(context: LoadContext, seed: number): Lane {
  const random = createRandom(seed, 'export');
  const { client, journal } = context;
  return {
    name: 'export',
    async step() {
      const table = random.pick(tableKeys);
      const isSplit = random.chance(0.3);
      const format = random.pick(['csv', 'csv', 'ndjson', 'ndjson', 'arrow', 'parquet']);
      const cancelAfterMs = random.chance(0.2) ? random.int(0, 1_000) : undefined;
      const sql = `SELECT s_id // 1000 AS owner, op_no, expected, s_id FROM ${table}`;
      const body = { sql, format, ...(isSplit ? { max_file_bytes: 1_048_576 } : {}) };
      const started = await client.settle({ kind: 'export', method: 'POST', path: '/v1/exports', body });
      if (started.outcome !== 'acknowledged') {
        const answer = started.outcome === 'refused' ? started.answer.body : undefined;
        const { code } = (answer ?? {}) as { code?: string };
        // The statement is checked by an engine, which may be away.
        if (answer !== undefined && code !== 'query_timeout' && code !== 'query_failed')
          journal.breach('unexpected', `export: ${JSON.stringify(answer)}`);
        return;
      }
      const at = `/v1/exports/${started.answer.body.data?.['id']}`;
      if (cancelAfterMs !== undefined) {
        await pauseBetween(context, cancelAfterMs);
        const cancel = { kind: 'cancel of an export', method: 'POST' as const };
        await client.settle({ ...cancel, path: `${at}/cancel?confirm=true` });
      }
      const ended = await endOf(context, at);
      if (ended === undefined) {
        if (!context.signal.aborted) journal.breach('exportStuck', at);
        return;
      }
      const exported = ended as unknown as Exported;
      journal.count('exports', exported.status);
      if (exported.status === 'failed' && !explained.includes(exported.error?.code ?? ''))
        journal.breach('exportEnd', `${at}: ${JSON.stringify(exported.error)}`);
      if (exported.status === 'cancelled' && cancelAfterMs === undefined)
        journal.breach('exportEnd', `${at}: cancelled by nobody`);
      if (exported.status === 'succeeded') await lookAt(context, exported, format);
      else if (exported.files.length > 0)
        journal.breach('exportTorn', `${at}: files of one that did not succeed`);
      await pauseBetween(context, random.int(300, 2_000));
    },
  };
}

/** The files have the bytes that the export tells, and of each operation all rows or none. */
async function lookAt({ journal }: LoadContext, exported: Exported, format: string): Promise<void> {
  const texts: string[] = [];
  for (const { url, name, sizeBytes, sha256 } of exported.files) {
    // The store may be away, or begin anew: then there is nothing to see.
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 404) journal.breach('exportTorn', `${exported.id}: ${name} is not there`);
    if (answer?.ok !== true) return;
    const bytes = await answer.arrayBuffer().then(Buffer.from, () => undefined);
    if (bytes === undefined) return;
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (bytes.length !== sizeBytes || hash !== sha256)
      journal.breach('exportTorn', `${exported.id}: ${name} has ${bytes.length} bytes, ${hash}`);
    texts.push(bytes.toString());
  }
  if (format !== 'csv' && format !== 'ndjson') return;
  const rows = texts.flatMap((text) => rowsOf(text, format));
  journal.count('exports', 'rows looked through', rows.length);
  if (rows.length !== exported.rowsWritten || new Set(rows).size !== rows.length)
    journal.breach('exportTorn', `${exported.id}: ${rows.length} rows, told ${exported.rowsWritten}`);
  const operations = Map.groupBy(
    rows.map((row) => row.split(',')),
    ([owner, no]) => `${owner} ${no}`,
  );
  for (const [operation, group] of operations)
    if (group.some(([, , expected]) => Number(expected) !== group.length))
      journal.breach('exportTorn', `${exported.id}: ${group.length} rows of operation ${operation}`);
}

function rowsOf(text: string, format: 'csv' | 'ndjson'): string[] {
  if (format === 'csv') return text.trimEnd().split('\r\n').slice(1);
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => Object.values(JSON.parse(line) as object).join(','));
}
