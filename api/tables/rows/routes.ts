import { z } from 'zod';
import { deleteRows } from '../../../domain/tables/rows/delete.ts';
import { readAsked } from '../../../domain/tables/rows/read.ts';
import { reserveRowIds } from '../../../domain/tables/rows/reserve-ids.ts';
import { appendSent, upsertSent } from '../../../domain/tables/rows/sent.ts';
import { getTable, type TableRow } from '../../../domain/tables/tables/registry.ts';
import { shownRowId } from '../../../domain/tables/tables/row-id.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { bodyLimits } from '../../plugins/json-body.ts';
import { sendText } from '../../reply.ts';
import { type Call, type Load, route } from '../../route.ts';
import { decodeCursor, encodeCursor, type ListRequest } from '../../schemas.ts';
import { sentListOf } from '../../sent-list.ts';
import {
  appended,
  deleteBody,
  deleted,
  reservation,
  reservationBody,
  rowsBody,
  rowsPage,
  rowsQuery,
  upsertBody,
  upserted,
} from './schemas.ts';

const rowsCursor = z.object({ version: z.int(), after: z.string().regex(/^-?\d+$/) });

/** Rows of a table: reads, and appends and upserts, which are durable and visible when answered. */
export function rowsRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag: 'Tables' };
  const exists: Load<'/:table_id', TableRow> = (db, organizationId, { table_id: id }) =>
    getTable(db, organizationId, id);
  const sending = {
    exists,
    scope: 'tables:append',
    body: rowsBody,
    rawBody: true,
    takesCompressed: true,
    bodyLimit: bodyLimits.rows,
  } as const;

  const sentIn = ({ organizationId, caller, params, request, newId }: Call<'/:table_id'>) => ({
    ...{ organizationId, tableId: params.table_id, committedBy: caller.id, operationId: newId('opr') },
    bytes: sentListOf(request, 'rows').bytes,
  });

  route(
    app,
    at,
    ['POST', '/v1/tables/:table_id/rows'],
    {
      ...sending,
      summary: 'Append rows to a data table',
      operationId: 'appendRows',
      audit: 'rows.appended',
      description:
        'Appends all rows or none. When the response arrives, the rows are durable and visible. Every row needs a new integer `s_id`. A column that you omit is null. If the table enforces its key, a key that already exists or is repeated gets 409 `duplicate_row_key`, which lists it.',
      errors: ['duplicate_row_id', 'duplicate_row_key', 'not_appendable', 'body_too_large'],
    },
    { 200: appended },
    async (call) => ({ data: await appendSent(deps, sentIn(call)) }),
  );

  route(
    app,
    at,
    ['PUT', '/v1/tables/:table_id/rows'],
    {
      ...sending,
      body: upsertBody,
      summary: 'Upsert rows',
      operationId: 'upsertRows',
      audit: 'rows.upserted',
      description:
        "Matches rows by the key columns, or by `s_id` if there are none. A matched row is replaced as a whole and keeps its `s_id`, which you can omit. If a request repeats a key, the last row wins. If the table doesn't enforce its key and several rows have the same one, the response is 409 and lists the keys.",
      errors: ['duplicate_row_id', 'not_appendable', 'conflict', 'body_too_large'],
    },
    { 200: upserted },
    async (call) => ({ data: await upsertSent(deps, sentIn(call)) }),
  );

  route(
    app,
    at,
    ['POST', '/v1/tables/:table_id/row-ids/reservations'],
    {
      exists,
      scope: 'tables:append',
      body: reservationBody,
      summary: 'Reserve row ids',
      operationId: 'reserveRowIds',
      audit: 'row_ids.reserved',
      description:
        'Returns a range of integers for the `s_id` of rows that you are going to append. The range is above every `s_id` of the table and above every range that was reserved before. No range is given twice, whether it is used or not. Appending rows with other ids is still allowed.',
      errors: ['not_appendable', 'conflict'],
    },
    { 201: reservation },
    async ({ organizationId, params, body }) => {
      const { first, last } = await reserveRowIds(deps, {
        ...{ organizationId, tableId: params.table_id, count: body.count },
      });
      return { data: { first: shownRowId(first), last: shownRowId(last) } };
    },
  );

  route(
    app,
    at,
    ['DELETE', '/v1/tables/:table_id/rows'],
    {
      exists,
      scope: 'tables:append',
      body: deleteBody,
      bodyLimit: bodyLimits.rows,
      summary: 'Delete rows',
      audit: 'rows.deleted',
      description:
        "Deletes rows by `s_id` or by key, in one commit. Rows that don't exist are ignored. Older versions of the table keep deleted rows until the versions expire.",
      errors: ['not_appendable', 'body_too_large'],
    },
    { 200: deleted },
    async ({ organizationId, caller, params, body, newId }) => ({
      data: await deleteRows(deps, {
        organizationId,
        tableId: params.table_id,
        ...(body.keys === undefined
          ? { by: 's_ids', rows: body.s_ids!.map((id) => ({ s_id: id })) }
          : { by: 'keys', rows: body.keys }),
        operationId: newId('opr'),
        committedBy: caller.id,
      }),
    }),
  );

  route(
    app,
    at,
    ['GET', '/v1/tables/:table_id/rows'],
    {
      summary: 'Read rows',
      operationId: 'readRows',
      description:
        'Returns rows with their own column names, ordered by `s_id`. A cursor stays at the version of its first page. `offset` skips to a row by its number, anywhere in the table. This counts the rows once for each version.',
      exists,
      query: rowsQuery,
      errors: ['version_expired', 'not_materialized', 'conflict', 'query_too_large'],
    },
    { 200: rowsPage },
    async ({ organizationId, caller, params, query, request, reply, transaction }) => {
      const table = await transaction((db) => exists(db, organizationId, params, caller));
      const list = request as ListRequest;
      const from = decodeCursor(rowsCursor, list);
      const rows = await readAsked(deps.lake, organizationId, table, {
        version: from?.version ?? query.version,
        after: from === undefined ? undefined : BigInt(from.after),
        ...{ offset: query.offset, limit: query.limit },
      });
      const { version, last, total } = rows;
      const nextCursor = rows.hasMore ? encodeCursor(list, { version, after: String(last) }) : null;
      // The rows are JSON text already: exact numbers must not be parsed by JavaScript again.
      const numbered = total === undefined ? '' : `,"total":${total},"version":${version}`;
      return sendText(
        reply,
        `{"items":[${rows.rowTexts.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}${numbered}}`,
      );
    },
  );
}
