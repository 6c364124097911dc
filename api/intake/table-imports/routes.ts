import type { z } from 'zod';
import { cancelImport } from '../../../domain/intake/file-imports/cancel.ts';
import { planAppend } from '../../../domain/intake/file-imports/plan-append.ts';
import { startTableImport } from '../../../domain/intake/file-imports/start.ts';
import { getTableImport, listTableImports } from '../../../domain/intake/file-imports/table-imports.ts';
import { getFile } from '../../../domain/workspace/files/files.ts';
import { getProject } from '../../../domain/workspace/projects/projects.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { clientGone } from '../../reply.ts';
import { resource } from '../../resource.ts';
import type { Call } from '../../route.ts';
import { confirmQuery } from '../../schemas.ts';
import { importOptions } from './options.ts';
import {
  importFileBody,
  listImportsQuery,
  tableImportBody,
  tableImportExample,
  tableImportSchema,
  tableImportView,
} from './schemas.ts';

export function tableImportsRoutes(app: Routes, deps: ApiDeps): void {
  const imports = resource(app, deps, {
    tag: 'Files',
    path: '/v1/table-imports/:import_id',
    schema: tableImportSchema,
    example: tableImportExample,
    load: (db, organizationId, { import_id: id }) => getTableImport(db, organizationId, id),
    view: tableImportView,
  });
  imports.list({
    summary: 'List imports, newest first',
    description: "Imports into tables that the caller can't read aren't listed.",
    query: listImportsQuery,
    rows: (db, { organizationId, query }, slice) =>
      listTableImports(db, organizationId, slice, {
        ...(query.project_id === undefined ? {} : { project_id: query.project_id }),
        ...(query.table_id === undefined ? {} : { table_id: query.table_id }),
        ...(query.status === undefined ? {} : { status: query.status }),
      }),
  });
  const starting = {
    summary: 'Import a file into a table',
    audit: 'import.created',
    description:
      'The import runs in the background: the response is 202. Poll the Location. The table appears as a whole when the import succeeds, or not at all. `append` adds the rows of the file in one version, to an imported table, or to a data table if a column gives `s_id`. The columns of the file must be those of the table, by name and ignoring case. The file can lack nullable columns. Any other difference is a 422 that names it.',
    errors: ['admin_required', 'name_taken', 'conflict', 'workflows_unavailable', 'not_found'],
    status: 202,
  } as const;

  imports.create({
    ...starting,
    operationId: 'importFile',
    at: '/v1/projects/:project_id/files/:file_id/imports',
    exists: (db, organizationId, { file_id: id, project_id: projectId }) =>
      getFile(db, organizationId, id, projectId),
    body: importFileBody,
    run: (call) => start(call, call.params, call.body),
  });
  imports.create({
    ...starting,
    body: tableImportBody,
    run: async (call) => {
      const { project_id: projectId, file_id: fileId } = call.body;
      await call.transaction(async (db) => {
        await getProject(db, call.organizationId, projectId);
        await getFile(db, call.organizationId, fileId, projectId);
      });
      return start(call, call.body, call.body);
    },
  });
  imports.show({ summary: 'Show an import' });
  imports.action('cancel', {
    summary: 'Cancel an import',
    audit: 'import.cancelled',
    description: "An import that has ended doesn't change. An import that is committing can still succeed.",
    query: confirmQuery,
    status: [200, 202],
    run: async ({ organizationId, params, reply }) => {
      const { row, isAsked } = await cancelImport(deps, { organizationId, importId: params.import_id });
      if (isAsked) reply.code(202);
      return row;
    },
  });

  async function start(
    { organizationId, caller, request, reply, newId }: Call,
    where: { project_id: string; file_id: string },
    body: z.infer<typeof importFileBody>,
  ) {
    const wanted = {
      organizationId,
      callerId: caller.id,
      memo: memoOf(request),
      projectId: where.project_id,
      fileId: where.file_id,
      importId: newId('imp'),
      newTableId: newId('tbl'),
      tableName: body.table_name,
      tableId: body.table_id,
      mode: body.mode,
      format: body.format,
      onBadRow: body.on_bad_row,
      options: importOptions(body),
    };
    const options =
      body.mode === 'append' ? await planAppend(deps, wanted, clientGone(reply)) : wanted.options;
    return startTableImport(deps, { ...wanted, options });
  }
}
