import { previewFormat } from '../../../domain/intake/file-imports/start.ts';
import { getFile } from '../../../domain/workspace/files/files.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { clientGone, sendText } from '../../reply.ts';
import { route } from '../../route.ts';
import { importOptions } from '../table-imports/options.ts';
import { onePreview, previewBody, previewText } from './schemas.ts';

/** Previews: the parsed rows of a file, before it is imported. */
export function previewsRoutes(app: Routes, deps: ApiDeps): void {
  route(
    app,
    { db: deps.db, tag: 'Files' },
    ['POST', '/v1/assets/:asset_id/previews'],
    {
      summary: 'Preview the parsed rows of a file',
      operationId: 'previewAsset',
      audit: { none: 'It only reads.' },
      description:
        'This is a read, sent as POST. `asset_id` is a file id. Bad rows are listed by line, column and reason.',
      scope: 'agent:read',
      idempotent: false,
      exists: (db, organizationId, { asset_id: id }) => getFile(db, organizationId, id),
      body: previewBody,
      errors: ['query_timeout', 'queries_saturated'],
    },
    { 200: onePreview },
    async ({ organizationId, params, body, reply, transaction }) => {
      const file = await transaction((db) => getFile(db, organizationId, params.asset_id));
      const source = {
        key: file.object_key,
        sizeBytes: file.size_bytes,
        format: previewFormat(file.path),
      };
      const page = { pageNumber: body.page_number, pageSize: body.page_size };
      const input = { source, options: importOptions(body), page };
      return sendText(reply, previewText(await deps.files.preview(organizationId, input, clientGone(reply))));
    },
  );
}
