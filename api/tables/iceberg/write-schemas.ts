import { z } from 'zod';
import { loadedTable } from './schemas.ts';

const properties = z.record(z.string().max(1_000), z.string().max(10_000));

const schema = z.looseObject({
  fields: z.array(z.looseObject({ name: z.string().min(1).max(255), type: z.unknown() })).max(1_000),
});

const noFields = z.looseObject({ fields: z.array(z.unknown()) });

export const createBody = z
  .looseObject({
    name: z.string().min(1).max(255),
    location: z.string().max(2_000).nullish(),
    schema,
    'partition-spec': noFields.nullish(),
    'write-order': noFields.nullish(),
    'stage-create': z.boolean().nullish(),
    properties: properties.nullish(),
  })
  .meta({
    examples: [
      {
        name: 'events',
        schema: { type: 'struct', fields: [{ id: 1, name: 'id', required: false, type: 'long' }] },
      },
    ],
  });

export const commitBody = z
  .looseObject({
    requirements: z.array(z.looseObject({ type: z.string().max(100) })).max(100),
    updates: z.array(z.looseObject({ action: z.string().max(100) })).max(1_000),
  })
  .meta({
    examples: [
      {
        requirements: [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': 41 }],
        updates: [{ action: 'set-properties', updates: { owner: 'spark' } }],
      },
    ],
  });

export type Requirement = z.output<typeof commitBody>['requirements'][number];
export type Update = z.output<typeof commitBody>['updates'][number];

export const committedTable = loadedTable.pick({ 'metadata-location': true, metadata: true }).meta({
  examples: [
    {
      'metadata-location': 's3://workspace/iceberg/org_…/tbl_…/42-0c9e/metadata.json',
      metadata: { 'format-version': 2, 'current-snapshot-id': 42 },
    },
  ],
});

export const dropQuery = z.object({ purgeRequested: z.string().optional() });

export { properties as tableProperties, schema as engineSchema };
