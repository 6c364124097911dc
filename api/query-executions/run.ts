import type { z } from 'zod';
import { AppError, ValidationError } from '../../data/errors.ts';
import { versionsAt } from '../../data/lake/ledger.ts';
import type { QueryAnswer } from '../../data/lake/query/request.ts';
import { snapshotShowing } from '../../data/lake/versions.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { insertQueryExecution } from '../../data/postgres/query-executions.ts';
import { listQueryable, type NamedTable } from '../../data/postgres/tables.ts';
import type { Caller } from '../caller.ts';
import type { ApiDeps } from '../deps.ts';
import type { queryBody } from './schemas.ts';

/** Runs one statement in a query process, keeps its record, and gives the answer as JSON text. */
export async function runQuery(
  deps: ApiDeps,
  caller: Caller,
  id: string,
  body: z.infer<typeof queryBody>,
  signal: AbortSignal,
): Promise<string> {
  const { organizationId } = caller;
  const startedMs = performance.now();
  const record = {
    organization_id: organizationId,
    id,
    caller_id: caller.id,
    sql: body.sql,
  };
  const lake = await deps.lake.catalog.get(organizationId);
  const tables = await inOrganization(deps.db, organizationId, (db) => listQueryable(db, organizationId));
  const atVersions = await pinned(deps, lake.schema, tables, body.at_versions ?? {});
  try {
    const answer = await deps.queries.run({
      location: lake.reader,
      relations: tables.map(({ name, id: tableId }) => ({ name, id: tableId })),
      sql: body.sql,
      limit: body.limit,
      timeoutMs: body.timeout_ms,
      rowFormat: body.row_format,
      atVersions: new Map([...atVersions].map(([table, { snapshotId }]) => [table.name, snapshotId])),
      signal,
    });
    const scanned = await scannedVersions(deps, lake.schema, answer, atVersions);
    await inOrganization(deps.db, organizationId, (db) =>
      insertQueryExecution(db, {
        ...record,
        status: 'succeeded',
        row_count: answer.rowCount,
        truncated: answer.truncated,
        elapsed_ms: answer.elapsedMs,
        scanned: JSON.stringify(scanned),
      }),
    );
    return answerText(id, answer, scanned);
  } catch (error) {
    if (error instanceof AppError && error.code !== 'queries_saturated') {
      await inOrganization(deps.db, organizationId, (db) =>
        insertQueryExecution(db, {
          ...record,
          status: 'failed',
          error_code: error.code,
          error_detail: error.message.slice(0, 2_000),
          elapsed_ms: performance.now() - startedMs,
        }),
      );
    }
    throw error;
  }
}

/** A version that was asked for, and a snapshot that shows the table at it. */
interface Pinned {
  version: number;
  snapshotId: number;
}

/** Resolves `at_versions` (id or name, ignoring case) to tables, and refuses versions that are gone. */
async function pinned(
  deps: ApiDeps,
  schema: string,
  tables: readonly NamedTable[],
  wanted: Record<string, number>,
): Promise<Map<NamedTable, Pinned>> {
  const found = new Map<NamedTable, Pinned>();
  for (const [key, version] of Object.entries(wanted)) {
    const table = tables.find((row) => row.id === key || row.name.toLowerCase() === key.toLowerCase());
    if (table === undefined) {
      throw new ValidationError([
        { loc: ['body', 'at_versions', key], msg: 'No table has this id or name.', type: 'value_error' },
      ]);
    }
    const snapshotId = await snapshotShowing(deps.lake.catalogPool, schema, table.id, version);
    found.set(table, { version, snapshotId });
  }
  return found;
}

/** The version of each table that was read: the one asked for, else its newest at the statement's snapshot. */
async function scannedVersions(
  deps: ApiDeps,
  schema: string,
  answer: QueryAnswer,
  atVersions: ReadonlyMap<NamedTable, Pinned>,
): Promise<{ tableId: string; version: number }[]> {
  if (answer.scannedRelationIds.length === 0) return [];
  const asked = new Map([...atVersions].map(([table, { version }]) => [table.id, version]));
  const newest = await versionsAt(
    deps.lake.catalogPool,
    schema,
    answer.scannedRelationIds,
    answer.snapshotId,
  );
  return answer.scannedRelationIds.map((tableId) => ({
    tableId,
    version: asked.get(tableId) ?? newest.get(tableId) ?? answer.snapshotId,
  }));
}

/** The rows are JSON text already; only the frame is made here. */
function answerText(
  id: string,
  answer: QueryAnswer,
  scanned: { tableId: string; version: number }[],
): string {
  const members = [
    `"id":${JSON.stringify(id)}`,
    `"columns":${JSON.stringify(answer.columns)}`,
    ...(answer.rowsJson === undefined ? [] : [`"rows":${answer.rowsJson}`]),
    ...(answer.rowsWithColumnOrderJson === undefined
      ? []
      : [`"rows_with_column_order":${answer.rowsWithColumnOrderJson}`]),
    `"rowCount":${answer.rowCount}`,
    `"truncated":${answer.truncated}`,
    `"elapsedMs":${Math.round(answer.elapsedMs * 1_000) / 1_000}`,
    `"scanned":${JSON.stringify({ tables: scanned })}`,
  ];
  return `{"data":{${members.join(',')}}}`;
}
