import { Readable } from 'node:stream';
import { uploadKey } from '../../data/objects/keys.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { deleteFile, getFile, getUpload, insertUpload, listFiles } from '../../domain/files/files.ts';
import { finalizeUpload, maxUploadBytes } from '../../domain/files/uploads.ts';
import { writeFile } from '../../domain/files/write.ts';
import { getOpenProject, getProject } from '../../domain/projects/projects.ts';
import { callerOf, idFor } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { bodyLimits } from '../plugins/json-body.ts';
import { projectParams } from '../projects/schemas.ts';
import { decodeCursor, envelope, idCursor, page, pageQuery, toPage } from '../schemas.ts';
import { parseRange } from './content-range.ts';
import {
  contentResponses,
  decodeContent,
  fileParams,
  fileSchema,
  fileView,
  finalizeBody,
  uploadForm,
  uploadParams,
  uploadSeconds,
  writeContentBody,
  writeContentQuery,
} from './schemas.ts';

export function filesRoutes(app: Routes, deps: ApiDeps): void {
  const tags = ['Files'];
  const projectExists = (organizationId: string, params: Record<string, string>) =>
    inOrganization(deps.db, organizationId, (db) => getProject(db, organizationId, params['project_id']!));
  const uploadExists = (organizationId: string, params: Record<string, string>) =>
    inOrganization(deps.db, organizationId, (db) =>
      getUpload(db, organizationId, params['project_id']!, params['upload_id']!),
    );
  const fileExists = (organizationId: string, params: Record<string, string>) =>
    inOrganization(deps.db, organizationId, (db) =>
      getFile(db, organizationId, params['file_id']!, params['project_id']!),
    );

  app.get(
    '/v1/projects/:project_id/files',
    {
      schema: {
        tags,
        summary: 'List the files of a project, newest first',
        params: projectParams,
        querystring: pageQuery,
        response: { 200: page(fileSchema) },
      },
      config: { scope: 'agent:read', exists: projectExists },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { limit } = request.query;
      const projectId = request.params.project_id;
      const rows = await inOrganization(deps.db, organizationId, async (db) => {
        await getProject(db, organizationId, projectId);
        return listFiles(db, organizationId, projectId, {
          after: decodeCursor(idCursor, request),
          limit: limit + 1,
        });
      });
      return toPage(request, rows, (row) => row.id, fileView);
    },
  );

  app.put(
    '/v1/projects/:project_id/files/content',
    {
      bodyLimit: bodyLimits.fileContent,
      schema: {
        tags,
        summary: 'Write a small file',
        description:
          'Creates the file at `path`, or silently its next version. At most 8 MiB decoded; larger files go through an upload.',
        params: projectParams,
        querystring: writeContentQuery,
        body: writeContentBody,
        response: { 200: envelope(fileSchema), 201: envelope(fileSchema) },
      },
      config: {
        scope: 'agent:write',
        exists: projectExists,
        errors: ['body_too_large', 'conflict'],
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      const projectId = request.params.project_id;
      const { file, created } = await writeFile(deps, {
        organizationId,
        projectId,
        path: request.query.path,
        bytes: decodeContent(request.body),
        id: idFor(request, 'fil'),
      });
      if (created) reply.code(201).header('Location', `/v1/projects/${projectId}/files/${file.id}`);
      return { data: fileView(file) };
    },
  );

  app.post(
    '/v1/projects/:project_id/files/uploads',
    {
      schema: {
        tags,
        summary: 'Mint a presigned upload',
        description:
          'Send a multipart/form-data POST to `url` with every entry of `fields` verbatim as form fields, then the bytes as the last field, named `file`. They go directly to storage. Then finalize.',
        params: projectParams,
        response: { 201: envelope(uploadForm) },
      },
      config: { scope: 'agent:write', exists: projectExists, errors: ['conflict'] },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      const projectId = request.params.project_id;
      const id = idFor(request, 'upl');
      const objectKey = uploadKey(organizationId, id);
      await inOrganization(deps.db, organizationId, async (db) => {
        await getOpenProject(db, organizationId, projectId);
        const expires = new Date(Date.now() + uploadSeconds * 1_000);
        return insertUpload(db, {
          organization_id: organizationId,
          id,
          project_id: projectId,
          object_key: objectKey,
          expires_at: expires,
        });
      });
      const form = await deps.objects.presignUpload(objectKey, maxUploadBytes, uploadSeconds);
      return reply.code(201).send({
        data: {
          upload_id: id,
          url: form.url,
          fields: form.fields,
          max_bytes: maxUploadBytes,
          expires_in_seconds: uploadSeconds,
        },
      });
    },
  );

  app.post(
    '/v1/projects/:project_id/files/uploads/:upload_id/finalize',
    {
      schema: {
        tags,
        summary: 'Make a file of an upload',
        description:
          'Checks what arrived and registers it; 409 when nothing was uploaded. Repeating it gives the same file.',
        params: uploadParams,
        body: finalizeBody,
        response: { 200: envelope(fileSchema) },
      },
      config: { scope: 'agent:write', exists: uploadExists, errors: ['conflict'] },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { path, content_type: contentType, sha256 } = request.body;
      const { project_id: projectId, upload_id: uploadId } = request.params;
      const newFileId = idFor(request, 'fil');
      const file = await finalizeUpload(deps, {
        organizationId,
        projectId,
        uploadId,
        path: path.normalize('NFC'),
        contentType,
        sha256,
        newId: newFileId,
      });
      return { data: fileView(file) };
    },
  );

  app.get(
    '/v1/projects/:project_id/files/:file_id',
    {
      schema: { tags, summary: 'Show a file', params: fileParams, response: { 200: envelope(fileSchema) } },
      config: { scope: 'agent:read', exists: fileExists },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { file_id: fileId, project_id: projectId } = request.params;
      const file = await inOrganization(deps.db, organizationId, (db) =>
        getFile(db, organizationId, fileId, projectId),
      );
      return { data: fileView(file) };
    },
  );

  app.get(
    '/v1/projects/:project_id/files/:file_id/content',
    {
      schema: {
        tags,
        summary: 'Stream the content of a file',
        description: 'Takes one byte `Range`.',
        params: fileParams,
        response: contentResponses,
      },
      config: { scope: 'agent:read', exists: fileExists },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      const { file_id: fileId, project_id: projectId } = request.params;
      const file = await inOrganization(deps.db, organizationId, (db) =>
        getFile(db, organizationId, fileId, projectId),
      );
      // A range of another version than the caller has is no use to it (RFC 9110, If-Range).
      const ifRange = request.headers['if-range'];
      const isSame = ifRange === undefined || ifRange === `"${file.sha256}"`;
      const range = isSame ? parseRange(request.headers.range, file.size_bytes) : undefined;
      reply
        .header('Accept-Ranges', 'bytes')
        .header('ETag', `"${file.sha256}"`)
        .header('X-Content-Type-Options', 'nosniff')
        .header(
          'Content-Disposition',
          `attachment; filename*=UTF-8''${encodeURIComponent(file.path.split('/').at(-1)!)}`,
        );
      if (range === 'unsatisfiable') {
        return reply.code(416).header('Content-Range', `bytes */${file.size_bytes}`).send();
      }
      // Nothing is fetched only to be thrown away.
      const isAsked = request.method === 'GET';
      const stream = isAsked ? await deps.objects.read(file.object_key, range) : Readable.from([]);
      const { from, to } = range ?? { from: 0, to: file.size_bytes - 1 };
      reply.type(file.content_type).header('Content-Length', String(to - from + 1));
      if (range !== undefined)
        reply.code(206).header('Content-Range', `bytes ${from}-${to}/${file.size_bytes}`);
      return reply.send(stream);
    },
  );

  app.delete(
    '/v1/projects/:project_id/files/:file_id',
    {
      schema: {
        tags,
        summary: 'Delete a file',
        description: 'Tables imported from it stay.',
        params: fileParams,
        response: { 200: envelope(fileSchema) },
      },
      config: { scope: 'agent:write', exists: fileExists },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { file_id: fileId, project_id: projectId } = request.params;
      const file = await inOrganization(deps.db, organizationId, async (db) => {
        const found = await getFile(db, organizationId, fileId, projectId);
        await deleteFile(db, found);
        return found;
      });
      return { data: fileView(file) };
    },
  );
}
