import type { z } from 'zod';
import { notFound } from '../../../data/errors.ts';
import { isId } from '../../../data/ids.ts';
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

/** Which tables and views of the organization a project's analyst sees. */
export function catalogEntriesRoutes(app: Routes, deps: ApiDeps): void {
  const entries = resource(app, deps, {
    tag: {
      name: 'Catalog Entries',
      description: 'Choose the tables and views that the analyst of a project can see.',
    },
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
    summary: 'Attach a table or view',
    audit: 'catalog_entry.created',
    description:
      "The analyst sees only what is attached. Attaching a table or view again returns the same entry. System tables can't be attached.",
    body: attachBody,
    errors: ['conflict'],
    status: [201, 200],
    run: async ({ organizationId, caller, params, body, newId, transaction, reply }) => {
      const relationId = wantedId(body);
      const { entry, isNew } = await transaction((db) =>
        attachTable(db, {
          organizationId,
          projectId: params.project_id,
          id: newId('cae'),
          relationId,
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
    summary: 'Delete a catalog entry',
    audit: 'catalog_entry.deleted',
    description:
      "Detaches the table or view, which itself stays. Earlier replies of the analyst don't change.",
    run: ({ organizationId, params, transaction }) =>
      transaction((db) => detachEntry(db, organizationId, params.project_id, params.entry_id)),
  });
}

/** The table or view that the body names, each by its own member. */
function wantedId({ table_id: tableId, view_id: viewId }: z.output<typeof attachBody>): string {
  if (tableId !== undefined && isId('tbl', tableId)) return tableId;
  if (viewId !== undefined && isId('viw', viewId)) return viewId;
  throw notFound(tableId === undefined ? 'The view' : 'The table');
}
