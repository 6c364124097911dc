import { deleteFile, getFile, getUpload, listFiles } from '../../../domain/workspace/files/files.ts';
import {
  finalizeUpload,
  maxUploadBytes,
  mintUpload,
  uploadSeconds,
} from '../../../domain/workspace/files/uploads.ts';
import { writeFile } from '../../../domain/workspace/files/write.ts';
import { getProject } from '../../../domain/workspace/projects/projects.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { bodyLimits } from '../../plugins/json-body.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { sendContent } from './content.ts';
import {
  contentResponses,
  decodeContent,
  fileExample,
  fileSchema,
  fileView,
  finalizeBody,
  uploadForm,
  writeContentBody,
  writeContentQuery,
} from './schemas.ts';

export function filesRoutes(app: Routes, deps: ApiDeps): void {
  const tag = {
    name: 'Files',
    description:
      'Manage the files of a project: small writes, large presigned uploads, previews, and imports into tables.',
  };
  const files = resource(app, deps, {
    tag,
    path: '/v1/projects/:project_id/files/:file_id',
    schema: fileSchema,
    example: fileExample,
    load: (db, organizationId, { file_id: id, project_id: projectId }) =>
      getFile(db, organizationId, id, projectId),
    parent: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
    view: fileView,
  });

  files.list({
    summary: 'List the files of a project, newest first',
    rows: (db, { organizationId, params }, slice) => listFiles(db, organizationId, params.project_id, slice),
  });
  files.replace({
    at: '/v1/projects/:project_id/files/content',
    exists: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
    summary: 'Write a small file',
    operationId: 'writeFile',
    audit: 'file.written',
    description:
      'Creates the file at `path`, or its next version if it exists. Send JSON with up to 8 MiB after decoding, or `text/csv` with up to 12 MiB of raw bytes (`curl -T orders.csv -H "content-type: text/csv"`). For larger files, use an upload.',
    bodyLimit: bodyLimits.fileContent,
    takesCsv: true,
    query: writeContentQuery,
    body: writeContentBody,
    errors: ['body_too_large', 'conflict'],
    status: [200, 201],
    run: async ({ organizationId, params, query, body, newId, reply }) => {
      const { file, created } = await writeFile(deps, {
        organizationId,
        projectId: params.project_id,
        path: query.path,
        bytes: decodeContent(body),
        id: newId('fil'),
      });
      if (created) reply.code(201);
      return file;
    },
  });
  route(
    app,
    { db: deps.db, tag },
    ['POST', '/v1/projects/:project_id/files/uploads'],
    {
      summary: 'Create a presigned upload',
      audit: 'upload.created',
      description:
        'Send a multipart/form-data POST to `url`. Include every entry of `fields` unchanged as a form field, then the bytes as the last field, named `file`. The bytes go directly to storage. Then finalize the upload.',
      exists: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
      errors: ['conflict'],
    },
    { 201: uploadForm },
    async ({ organizationId, params, newId }) => {
      const id = newId('upl');
      const form = await mintUpload(deps, { organizationId, projectId: params.project_id, id });
      return {
        data: {
          upload_id: id,
          url: form.url,
          fields: form.fields,
          max_bytes: maxUploadBytes,
          expires_in_seconds: uploadSeconds,
        },
      };
    },
  );
  files.create({
    at: '/v1/projects/:project_id/files/uploads/:upload_id/finalize',
    exists: (db, organizationId, { project_id: projectId, upload_id: id }) =>
      getUpload(db, organizationId, projectId, id),
    summary: 'Finalize an upload',
    audit: 'file.uploaded',
    description:
      'Checks the uploaded bytes and creates the file. The response is 409 if nothing was uploaded. Repeating the request returns the same file.',
    body: finalizeBody,
    errors: ['conflict'],
    status: 200,
    run: ({ organizationId, params, body, newId }) =>
      finalizeUpload(deps, {
        organizationId,
        projectId: params.project_id,
        uploadId: params.upload_id,
        path: body.path.normalize('NFC'),
        contentType: body.content_type,
        sha256: body.sha256,
        newId: newId('fil'),
      }),
  });
  files.show({ summary: 'Show a file' });
  route(
    app,
    { db: deps.db, tag },
    ['GET', '/v1/projects/:project_id/files/:file_id/content'],
    {
      summary: 'Download a file',
      audit: 'file.exported',
      errors: ['range_not_satisfiable'],
      description:
        'Accepts one byte `Range`. If you send the `ETag` of an earlier response in `If-None-Match`, the response is 304 while the content is the same.',
      exists: (db, organizationId, { file_id: id, project_id: projectId }) =>
        getFile(db, organizationId, id, projectId),
    },
    contentResponses,
    async ({ organizationId, params, transaction, request, reply }) => {
      const file = await transaction((db) => getFile(db, organizationId, params.file_id, params.project_id));
      return sendContent(deps.objects, file, request, reply);
    },
  );
  files.remove({
    summary: 'Delete a file',
    audit: 'file.deleted',
    description: 'Tables that were imported from it stay.',
    run: ({ organizationId, params, transaction }) =>
      transaction(async (db) => {
        const file = await getFile(db, organizationId, params.file_id, params.project_id);
        await deleteFile(db, file);
        return file;
      }),
  });
}
