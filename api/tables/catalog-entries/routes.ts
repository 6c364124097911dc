import { notFound } from '../../../data/errors.ts';
import {
  attachTable,
  detachEntry,
  getCatalogEntry,
  listCatalogEntries,
} from '../../../domain/tables/catalog-entries/catalog-entries.ts';
import { getProject } from '../../../domain/workspace/projects/projects.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { attachBody, catalogEntryExample, catalogEntrySchema, catalogEntryView } from './schemas.ts';

/** Which tables of the organization a project's analyst sees. */
export function catalogEntriesRoutes(app: Routes, deps: ApiDeps): void {
  const entries = resource(app, deps, {
    tag: 'Catalog Entries',
    path: '/v1/projects/:project_id/catalog-entries/:entry_id',
    schema: catalogEntrySchema,
    example: catalogEntryExample,
    load: (db, organizationId, { project_id: projectId, entry_id: id }) =>
      getCatalogEntry(db, organizationId, projectId, id),
    parent: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
    view: catalogEntryView,
  });

  entries.list({
    summary: 'List the catalog entries of a project, newest first',
    rows: (db, { organizationId, params }, slice) =>
      listCatalogEntries(db, organizationId, params.project_id, slice),
  });
  entries.create({
    summary: 'Attach a table',
    description:
      'The analyst sees attached tables only. Attaching a table again returns the same entry. System tables cannot be attached; views are not known yet.',
    body: attachBody,
    errors: ['conflict'],
    status: [201, 200],
    run: async ({ organizationId, caller, params, body, newId, transaction, reply }) => {
      if (body.table_id === undefined) throw notFound('The view');
      const { entry, isNew } = await transaction((db) =>
        attachTable(db, {
          organizationId,
          projectId: params.project_id,
          id: newId('cae'),
          tableId: body.table_id!,
          note: body.note,
          createdBy: caller.id,
        }),
      );
      if (!isNew) reply.code(200);
      return entry;
    },
  });
  entries.show({ summary: 'Show a catalog entry' });
  entries.remove({
    summary: 'Detach what an entry attaches',
    description: 'The table itself stays. What the analyst said before stays as it was said.',
    run: ({ organizationId, params, transaction }) =>
      transaction((db) => detachEntry(db, organizationId, params.project_id, params.entry_id)),
  });
}
