import { z } from 'zod';
import { characters, envelope, nullableTimestamp, timestamp } from '../../schemas.ts';
import { catalogFields, catalogQuery, testedState } from '../catalog.ts';

export const tableKinds = ['data', 'calc', 'import', 'snapshot', 'iceberg', 'system'] as const;

export const tableSchema = z
  .object({
    id: z.string().meta({ examples: ['tbl_01kahz3v6dfyvb1s8m3h9q2w4x'] }),
    name: z.string().meta({ examples: ['orders'] }),
    database: z.string(),
    schema: z.string(),
    kind: z.enum(tableKinds),
    projectId: z.string().nullable(),
    queryable: z.boolean(),
    appendable: z.boolean(),
    rowCount: z.int().nullable(),
    sizeBytes: z.int().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Table' });

export const catalogSchema = z
  .object({
    tableId: z.string(),
    ...catalogFields,
    verification: z
      .object({ state: testedState, at: nullableTimestamp })
      .describe('The results of its tests and when they last changed. GET …/verification returns more.'),
    rowCount: z.int(),
  })
  .meta({ id: 'TableCatalog' });

export const tableExample: z.input<typeof tableSchema> = {
  id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'orders',
  database: 'lake',
  schema: 'main',
  kind: 'data',
  projectId: null,
  queryable: true,
  appendable: true,
  rowCount: 1_204,
  sizeBytes: 18_204,
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export const catalogExample: z.input<typeof catalogSchema> = {
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'orders',
  qualifiedName: 'lake.main."orders"',
  description: 'One row an order line.',
  ownerUserId: null,
  semantics: { grain: 'order line' },
  modelingTier: 'raw',
  columns: [
    {
      name: 's_id',
      dataType: 'INTEGER',
      nullable: false,
      description: null,
      semanticType: 'identifier',
      note: null,
    },
  ],
  lineage: { upstream: 0, downstream: 0 },
  verification: { state: 'passing', at: '2026-11-21T08:30:00.000Z' },
  rowCount: 1_204,
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export const oneTable = envelope(tableSchema).meta({ examples: [{ data: tableExample }] });
export const oneCatalog = envelope(catalogSchema).meta({ examples: [{ data: catalogExample }] });
export const listOfTables = z.object({ tables: z.array(tableSchema), total: z.int() });
export const listOfCatalog = z.object({ tables: z.array(catalogSchema), total: z.int() });

export const listTablesQuery = z.object({
  project_id: characters(0, 255).optional().describe('Only tables that this project created.'),
});
export const listCatalogQuery = listTablesQuery.extend({
  ...catalogQuery.shape,
  modeling_tier: z.enum(['raw', 'staged', 'curated', 'certified']).optional(),
});

export const versionSchema = z
  .object({
    version: z.int(),
    committedAt: timestamp,
    operation: z.string(),
    rowsAdded: z.int(),
    rowsRemoved: z.int(),
    runId: z.string().nullable(),
    committedBy: z.string(),
  })
  .meta({ id: 'TableVersion' });

export const versionExample: z.input<typeof versionSchema> = {
  version: 12,
  committedAt: '2026-11-21T08:30:00.000Z',
  operation: 'append',
  rowsAdded: 100,
  rowsRemoved: 0,
  runId: null,
  committedBy: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
};
