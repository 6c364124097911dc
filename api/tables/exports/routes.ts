import { showExport, showExports } from '../../../domain/tables/exports/exports.ts';
import { startExport } from '../../../domain/tables/exports/start.ts';
import { cancelRun } from '../../../domain/workspace/runs/cancel.ts';
import { callerOf, memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { clientGone } from '../../reply.ts';
import { resource } from '../../resource.ts';
import { confirmQuery } from '../../schemas.ts';
import { queryErrors } from '../query-executions/schemas.ts';
import { exportBody, exportExample, exportSchema, exportView } from './schemas.ts';

/** Rows that go out as files. */
export function exportsRoutes(app: Routes, deps: ApiDeps): void {
  const exports = resource(app, deps, {
    tag: { name: 'Exports', description: 'Export tables and query results of any size as files.' },
    path: '/v1/exports/:export_id',
    schema: exportSchema,
    example: exportExample,
    load: (db, organizationId, { export_id: exportId }) => showExport(db, { organizationId, exportId }),
    view: (shown, { request }) =>
      exportView(deps.objects, shown, {
        withUrls:
          'export_id' in (request.params as object) && callerOf(request).scopes.includes('agent:read'),
      }),
  });

  exports.list({
    summary: 'List exports, newest first',
    description:
      "Files in this list have no download links. Show one export to get them. Exports of tables that you can't read aren't listed.",
    rows: (db, { organizationId }, slice) => showExports(db, organizationId, slice),
  });
  exports.create({
    summary: 'Create an export',
    audit: 'export.created',
    description:
      'Exports all rows of a table or query as files, in the background. Follow it at `Location`. The service checks the statement at once, by the same rules as a query. An organization runs two exports at a time. An export reads the versions that its tables have when it starts, with the rights of its caller. Its files are kept for one day.',
    body: exportBody,
    status: 202,
    errors: [...queryErrors, 'not_found', 'conflict', 'limit_reached', 'workflows_unavailable'],
    run: async ({ organizationId, caller, body, newId, request, reply, transaction }) => {
      const { id: exportId } = await startExport(deps, {
        ...{ organizationId, exportId: newId('exp'), callerId: caller.id },
        source: body.sql === undefined ? { tableId: body.table_id! } : { sql: body.sql },
        ...{ atVersions: body.at_versions ?? {}, format: body.format, name: body.name },
        ...{
          maxFileBytes: body.max_file_bytes,
          byteOrderMark: body.byte_order_mark,
          projectId: body.project_id,
          path: body.path?.normalize('NFC'),
        },
        ...{ memo: memoOf(request), signal: clientGone(reply) },
      });
      return transaction((db) => showExport(db, { organizationId, exportId }));
    },
  });
  exports.show({ summary: 'Show an export with its download links' });
  exports.action('cancel', {
    summary: 'Cancel an export',
    audit: 'export.cancelled',
    description: 'Nothing of the export is kept. An export that has ended is returned unchanged.',
    query: confirmQuery,
    status: [200, 202],
    run: async ({ organizationId, params, transaction, reply }) => {
      const id = { organizationId, exportId: params.export_id };
      const { run } = await transaction((db) => showExport(db, id));
      if (await cancelRun(deps, run)) reply.code(202);
      return transaction((db) => showExport(db, id));
    },
  });
}
