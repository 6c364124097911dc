import { catalogStatement, refusedName, tokensOf } from '../../../../packages/postgres-dialect/index.ts';
import {
  bytesOf,
  type Outflow,
  openRowWriter,
  postgresType,
} from '../../../../packages/row-formats/index.ts';
import { boundParameters } from '../process/bind.ts';
import type { SentTask } from '../process/messages.ts';
import { type Interruption, stopIfInterrupted } from '../process/transaction.ts';
import { QueryRefusal } from '../refusal.ts';
import type { CatalogAnswer } from './contract.ts';
import type { Scratch } from './scratch.ts';

/** Runs or describes a statement about the catalog. */
export async function runCatalog(
  { connection, parser, catalog }: Scratch,
  task: Extract<SentTask, { kind: 'catalog' }>,
  maxBytes: number,
  current: Interruption & { outflow: Outflow },
): Promise<CatalogAnswer> {
  const { sql, session, limit, format } = task;
  const name = refusedName(tokensOf(sql));
  if (name !== undefined)
    throw new QueryRefusal('query_failed', `"${name}" doesn't exist, or isn't allowed in a query.`);
  const rewritten = catalogStatement(sql, session.database);
  // The engine's own parser says that it is one SELECT.
  await parser.parse(rewritten.sql);
  stopIfInterrupted(current);
  await catalog.prepare(rewritten.relations, session);
  const bound = await boundParameters(connection, task.parameters);
  const text =
    format === undefined ? `SELECT * FROM (${rewritten.sql}\n) AS described LIMIT 0` : rewritten.sql;
  const result = await connection.stream(text, bound?.values, bound?.types).catch((error: unknown) => {
    throw said(error);
  });
  const columns = result.columnNames().map((each, index) => ({ name: each, type: result.columnType(index) }));
  const described = {
    columns: columns.map(({ name: each, type }) => ({ name: each, ...postgresType(type, true) })),
    parameters: {},
  };
  if (format === undefined) return { ...described, rowCount: 0, truncated: false };
  const writer = await openRowWriter({ ...format, hasOids: true }, columns, maxBytes);
  let rowCount = 0;
  let truncated = false;
  for (;;) {
    const chunk = await result.fetchChunk();
    stopIfInterrupted(current);
    if (chunk === null || chunk.rowCount === 0) break;
    const wanted = Math.min(chunk.rowCount, limit - rowCount);
    for (const piece of writer.add(chunk, wanted)) await current.outflow.send(piece);
    rowCount += wanted;
    truncated = chunk.rowCount > wanted;
    if (truncated) break;
  }
  const last = writer.end();
  if (bytesOf(last) > 0) await current.outflow.send(last);
  return { ...described, rowCount, truncated };
}

/** What the engine says of a catalog reveals nothing: it has only what the caller can read. */
function said(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  const isOurs = /^(?:Catalog|Binder|Invalid Input|Conversion|Not implemented) Error: /.test(message);
  return isOurs ? new QueryRefusal('query_failed', message.split('\n')[0]!.slice(0, 1_000)) : error;
}
