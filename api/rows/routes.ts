import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../data/errors.ts';
import { tableStatistics } from '../../data/lake/ledger.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import type { RowsBody } from '../../domain/rows/body.ts';
import { readRows } from '../../domain/rows/read.ts';
import { upsertKeys, upsertRows } from '../../domain/rows/upsert.ts';
import { notAppendable } from '../../domain/tables/appendable.ts';
import { findPhysicalTable } from '../../domain/tables/columns.ts';
import { getTable, type TableRow } from '../../domain/tables/tables.ts';
import { snapshotShowing } from '../../domain/tables/versions.ts';
import { callerOf, idFor } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { bodyLimits } from '../plugins/json-body.ts';
import { sendText } from '../reply.ts';
import { decodeCursor, encodeCursor, envelope, integerText, pageQuery } from '../schemas.ts';
import { sentListOf } from '../sent-list.ts';
import { tableParams } from '../tables/schemas.ts';
import { rowsBody } from './schemas.ts';

const appended = z.object({ rowsWritten: z.int(), tableVersion: z.int() });
const upserted = z.object({ inserted: z.int(), updated: z.int(), tableVersion: z.int() });

const rowsQuery = pageQuery.extend({
  version: integerText(z.int().min(0)).optional().describe('A past version of the table.'),
});
const rowsCursor = z.object({ version: z.int(), after: z.string().regex(/^-?\d+$/) });

/** Rows of a table: append and upsert, durable and visible when answered, and reading. */
export function rowsRoutes(app: Routes, deps: ApiDeps): void {
  const tags = ['Tables'];
  const exists = (organizationId: string, params: Record<string, string>) =>
    inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, params['table_id']!));
  const find = (organizationId: string, id: string) =>
    inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, id));

  /**
   * Gives `work` the rows that were sent. Many are checked before they wait for the table's lock: under it they are
   * looked at again only where the columns changed meanwhile.
   */
  async function withRows<T>(
    request: FastifyRequest,
    tableId: string,
    byKeys: boolean,
    work: (body: RowsBody) => Promise<T>,
  ): Promise<T> {
    const { organizationId } = callerOf(request);
    return deps.rows.use(organizationId, sentListOf(request, 'rows').bytes, async (body) => {
      if (body.isLarge) {
        const table = appendable(await find(organizationId, tableId));
        const { schema } = await deps.lake.catalog.get(organizationId);
        const physical = await findPhysicalTable(deps.lake.catalogPool, schema, table.name);
        if (physical !== undefined)
          await body.plan(physical.columns, byKeys ? upsertKeys(table.key_columns) : []);
      }
      return work(body);
    });
  }

  /** Data tables are paged by s_id; any other table may have a column of the name `rowid`. */
  async function hasRowid(schema: string, table: TableRow): Promise<boolean> {
    if (table.kind === 'data') return false;
    const physical = await findPhysicalTable(deps.lake.catalogPool, schema, table.name);
    return physical?.columns.some(({ name }) => name.toLowerCase() === 'rowid') ?? false;
  }

  app.post(
    '/v1/tables/:table_id/rows',
    {
      bodyLimit: bodyLimits.rows,
      schema: {
        tags,
        summary: 'Append rows to a data table',
        description:
          'All or nothing, durable and visible when answered. Every row carries a new integer `s_id`; a column left out is null.',
        params: tableParams,
        body: rowsBody,
        response: { 200: envelope(appended) },
      },
      config: {
        scope: 'tables:append',
        rawBody: true,
        exists,
        errors: ['duplicate_row_id', 'not_appendable', 'body_too_large'],
      },
    },
    async (request) => {
      const { organizationId, id: committedBy } = callerOf(request);
      const { table_id: tableId } = request.params;
      const operationId = idFor(request, 'opr');
      const data = await withRows(request, tableId, false, (body) =>
        deps.append({ organizationId, tableId, body, operationId, committedBy }),
      );
      return { data };
    },
  );

  app.put(
    '/v1/tables/:table_id/rows',
    {
      bodyLimit: bodyLimits.rows,
      schema: {
        tags,
        summary: 'Upsert rows by the key columns, else by s_id',
        description:
          'A matched row is replaced whole and keeps its `s_id`; of equal keys in one request the last wins.',
        params: tableParams,
        body: rowsBody,
        response: { 200: envelope(upserted) },
      },
      config: {
        scope: 'tables:append',
        rawBody: true,
        exists,
        errors: ['duplicate_row_id', 'not_appendable', 'conflict', 'body_too_large'],
      },
    },
    async (request) => {
      const { organizationId, id: committedBy } = callerOf(request);
      const { table_id: tableId } = request.params;
      const operationId = idFor(request, 'opr');
      const data = await withRows(request, tableId, true, (body) =>
        upsertRows(deps, { organizationId, tableId, body, operationId, committedBy }),
      );
      return { data };
    },
  );

  app.get(
    '/v1/tables/:table_id/rows',
    {
      schema: {
        tags,
        summary: 'Read rows',
        description:
          'Under their own column names, in order of `s_id`. A cursor stays at the version its first page saw.',
        params: tableParams,
        querystring: rowsQuery,
        response: {
          200: z.object({
            items: z.array(z.record(z.string(), z.unknown())),
            nextCursor: z.string().nullable(),
          }),
        },
      },
      config: { scope: 'agent:read', exists, errors: ['version_expired', 'conflict', 'query_too_large'] },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      const table = await find(organizationId, request.params.table_id);
      if (table.kind === 'system') throw new AppError('conflict', 'System tables cannot be read.');
      const { limit, version: asked } = request.query;
      const from = decodeCursor(rowsCursor, request);
      const lake = await deps.lake.catalog.get(organizationId);
      const version =
        from?.version ??
        asked ??
        (await tableStatistics(deps.lake.catalogPool, lake.schema)).get(table.id)?.version ??
        0;
      const snapshotId = await snapshotShowing(deps.lake.catalogPool, lake.schema, table.id, version);
      const rows = await readRows(deps.lake, lake, {
        table: table.name,
        hasRowIds: table.kind === 'data',
        hasOwnRowid: await hasRowid(lake.schema, table),
        snapshotId,
        after: from === undefined ? undefined : BigInt(from.after),
        limit,
      });
      const nextCursor = rows.hasMore ? encodeCursor(request, { version, after: String(rows.last) }) : null;
      // The rows are JSON text already: exact numbers must not pass through JavaScript again.
      return sendText(
        reply,
        `{"items":[${rows.rowTexts.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`,
      );
    },
  );
}

function appendable(table: TableRow): TableRow {
  if (table.kind === 'data') return table;
  throw notAppendable(table.kind);
}
