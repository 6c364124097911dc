import { z } from 'zod';
import { characters, envelope, idText, revisionNumber, timestamp } from '../../schemas.ts';
import { catalogFields, catalogQuery, modelingTier } from '../catalog.ts';
import { definingQuery, tableName } from '../grid-tables/schemas.ts';

const dependency = z.object({ id: z.string(), kind: z.enum(['table', 'view']), name: z.string() });

export const viewSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    qualifiedName: z.string(),
    query: z
      .string()
      .describe('The query as it was written. Renamed tables, views and columns are updated in it.'),
    columns: z.array(z.object({ name: z.string(), dataType: z.string(), nullable: z.boolean() })),
    projectId: z.string().nullable(),
    description: z.string(),
    dependsOn: z.array(dependency).describe('The tables and views that its query names.'),
    status: z
      .enum(['valid', 'broken'])
      .describe(
        'The status of the view, checked at each request. A broken view becomes valid again when its query works.',
      ),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    definedByUserId: z.string().describe('The user or API client whose rights the view uses to read.'),
    revision: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'View' });

export const viewExample: z.input<typeof viewSchema> = {
  id: 'viw_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'large_orders',
  qualifiedName: 'lake.main."large_orders"',
  query: 'SELECT order_no, amount FROM orders WHERE amount > 1000',
  columns: [
    { name: 'order_no', dataType: 'STRING', nullable: true },
    { name: 'amount', dataType: 'DECIMAL(12,2)', nullable: true },
  ],
  projectId: null,
  description: 'Orders over 1,000 euro.',
  dependsOn: [{ id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', kind: 'table', name: 'orders' }],
  status: 'valid',
  error: null,
  definedByUserId: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x',
  revision: 1,
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export const oneView = envelope(viewSchema).meta({ examples: [{ data: viewExample }] });
export const listOfViews = z
  .object({ views: z.array(viewSchema), total: z.int() })
  .meta({ examples: [{ views: [viewExample], total: 1 }] });

export const viewCatalogSchema = z
  .object({ viewId: z.string(), ...catalogFields, rowCount: z.null() })
  .meta({ id: 'ViewCatalog' });

const catalogExample: z.input<typeof viewCatalogSchema> = {
  viewId: viewExample.id,
  name: viewExample.name,
  qualifiedName: viewExample.qualifiedName,
  description: viewExample.description,
  ownerUserId: null,
  semantics: { grain: 'order' },
  modelingTier: 'curated',
  columns: viewExample.columns.map((column) => ({
    ...column,
    description: null,
    semanticType: null,
    note: null,
  })),
  lineage: { upstream: 1, downstream: 0 },
  rowCount: null,
  updatedAt: viewExample.updatedAt,
};

export const oneViewCatalog = envelope(viewCatalogSchema).meta({ examples: [{ data: catalogExample }] });
export const listOfViewCatalog = z
  .object({ views: z.array(viewCatalogSchema), total: z.int() })
  .meta({ examples: [{ views: [catalogExample], total: 1 }] });

export const listViewsQuery = z.object({
  project_id: characters(0, 255).optional().describe('Only views that were created in this project.'),
});
export const listViewCatalogQuery = catalogQuery.extend({
  project_id: characters(0, 255).optional().describe('Accepted and ignored.'),
  modeling_tier: modelingTier.optional(),
});

export const createViewBody = z
  .strictObject({
    name: tableName,
    query: definingQuery,
    description: characters(0, 10_000).default(''),
    project_id: idText.optional(),
  })
  .meta({
    examples: [{ name: 'large_orders', query: 'SELECT order_no, amount FROM orders WHERE amount > 1000' }],
  });

export const changeViewBody = z
  .strictObject({
    name: tableName.optional(),
    query: definingQuery.optional(),
    description: characters(0, 10_000).optional(),
    expected_revision: revisionNumber.optional(),
  })
  .meta({ examples: [{ name: 'big_orders', expected_revision: 1 }] });
