import { z } from 'zod';
import { AppError, ValidationError } from '../../data/errors.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { formatByName, startTableImport } from '../../domain/file-imports/start.ts';
import { getTableImport, requestCancel } from '../../domain/file-imports/table-imports.ts';
import { getFile } from '../../domain/files/files.ts';
import { getProject } from '../../domain/projects/projects.ts';
import { cancelTableImportSignal, tableImportWorkflowId } from '../../workflows/table-import/names.ts';
import { callerOf, idFor, memoOf } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { fileParams } from '../files/schemas.ts';
import { clientGone, sendText } from '../reply.ts';
import { confirmQuery, envelope } from '../schemas.ts';
import {
  importFileBody,
  importOptions,
  previewBody,
  previewSchema,
  previewText,
  tableImportBody,
  tableImportSchema,
  tableImportView,
} from './schemas.ts';

const importParams = z.object({ import_id: z.string() });

export function tableImportsRoutes(app: Routes, deps: ApiDeps): void {
  const tags = ['Files'];
  const description =
    'A durable process: 202, then poll the Location. The table appears whole when it succeeded, or not at all. An imported table takes no appends.';
  const errors = ['name_taken', 'conflict', 'workflows_unavailable'] as const;
  const importExists = (organizationId: string, params: Record<string, string>) =>
    inOrganization(deps.db, organizationId, (db) => getTableImport(db, organizationId, params['import_id']!));

  async function start(
    request: Parameters<typeof callerOf>[0],
    where: { project_id: string; file_id: string },
    body: z.infer<typeof importFileBody>,
  ) {
    const caller = callerOf(request);
    return startTableImport(deps, {
      organizationId: caller.organizationId,
      callerId: caller.id,
      memo: memoOf(request),
      projectId: where.project_id,
      fileId: where.file_id,
      importId: idFor(request, 'imp'),
      newTableId: idFor(request, 'tbl'),
      tableName: body.table_name,
      tableId: body.table_id,
      mode: body.mode,
      format: body.format,
      onBadRow: body.on_bad_row,
      options: importOptions(body),
    });
  }

  app.post(
    '/v1/projects/:project_id/files/:file_id/imports',
    {
      schema: {
        tags,
        summary: 'Import a file into a table',
        description,
        params: fileParams,
        body: importFileBody,
        response: { 202: envelope(tableImportSchema) },
      },
      config: {
        scope: 'agent:write',
        errors,
        exists: (organizationId, params) =>
          inOrganization(deps.db, organizationId, (db) =>
            getFile(db, organizationId, params['file_id']!, params['project_id']!),
          ),
      },
    },
    async (request, reply) => {
      const row = await start(request, request.params, request.body);
      return reply
        .code(202)
        .header('Location', `/v1/table-imports/${row.id}`)
        .send({ data: tableImportView(row) });
    },
  );

  app.post(
    '/v1/table-imports',
    {
      schema: {
        tags,
        summary: 'Import a file into a table',
        description,
        body: tableImportBody,
        response: { 202: envelope(tableImportSchema) },
      },
      config: { scope: 'agent:write', errors: [...errors, 'not_found'] },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      const { project_id: projectId, file_id: fileId } = request.body;
      await inOrganization(deps.db, organizationId, async (db) => {
        await getProject(db, organizationId, projectId);
        await getFile(db, organizationId, fileId, projectId);
      });
      const row = await start(request, request.body, request.body);
      return reply
        .code(202)
        .header('Location', `/v1/table-imports/${row.id}`)
        .send({ data: tableImportView(row) });
    },
  );

  app.get(
    '/v1/table-imports/:import_id',
    {
      schema: {
        tags,
        summary: 'Show an import',
        params: importParams,
        response: { 200: envelope(tableImportSchema) },
      },
      config: { scope: 'agent:read', exists: importExists },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const row = await inOrganization(deps.db, organizationId, (db) =>
        getTableImport(db, organizationId, request.params.import_id),
      );
      return { data: tableImportView(row) };
    },
  );

  app.post(
    '/v1/table-imports/:import_id/cancel',
    {
      schema: {
        tags,
        summary: 'Cancel an import',
        description: 'An import that ended stays as it ended; one that is committing may still succeed.',
        params: importParams,
        querystring: confirmQuery,
        response: { 200: envelope(tableImportSchema), 202: envelope(tableImportSchema) },
      },
      config: { scope: 'agent:write', exists: importExists, errors: ['workflows_unavailable'] },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      const id = request.params.import_id;
      const before = await inOrganization(deps.db, organizationId, async (db) => {
        const row = await getTableImport(db, organizationId, id);
        await requestCancel(db, organizationId, id);
        return row;
      });
      if (before.finished_at !== null) return { data: tableImportView(before) };
      await deps.processes.signal(tableImportWorkflowId(id), cancelTableImportSignal);
      const row = await inOrganization(deps.db, organizationId, (db) =>
        getTableImport(db, organizationId, id),
      );
      return reply
        .code(202)
        .header('Location', `/v1/table-imports/${id}`)
        .send({ data: tableImportView(row) });
    },
  );

  app.post(
    '/v1/assets/:asset_id/previews',
    {
      schema: {
        tags,
        summary: 'Preview the parsed rows of a file',
        description:
          'A read exposed over POST. `asset_id` is a file id. Bad rows are named by line, column and reason.',
        params: z.object({ asset_id: z.string() }),
        body: previewBody,
        response: { 200: envelope(previewSchema) },
      },
      config: {
        scope: 'agent:read',
        idempotent: false,
        errors: ['query_timeout', 'queries_saturated'],
        exists: (organizationId, params) =>
          inOrganization(deps.db, organizationId, (db) => getFile(db, organizationId, params['asset_id']!)),
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      const file = await inOrganization(deps.db, organizationId, (db) =>
        getFile(db, organizationId, request.params.asset_id),
      );
      const source = {
        objectKey: file.object_key,
        path: file.path,
        sizeBytes: file.size_bytes,
        format: previewFormat(file.path),
      };
      const { page_number: pageNumber, page_size: pageSize } = request.body;
      const page = { pageNumber, pageSize };
      const input = { source, options: importOptions(request.body), page };
      const found = await deps.files.preview(organizationId, input, clientGone(reply));
      return sendText(reply, previewText(found));
    },
  );
}

function previewFormat(path: string) {
  try {
    return formatByName(path);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new AppError(
      'invalid_request',
      `The name ${path} does not tell the format of the file; previews know csv, parquet, json, ndjson and xlsx.`,
    );
  }
}
