import { z } from 'zod';
import type { JsonValue } from '../../../data/exact-json.ts';
import type { Row } from '../../../domain/tables/row-input/plan.ts';
import { fitsInt64, integerOf } from '../../../domain/tables/row-input/types.ts';
import { isMap, notMap } from '../../free-form.ts';
import { envelope, integerText, page, pageQuery } from '../../schemas.ts';

/** A row or record as documented; it is parsed later with its list. */
export const sentRow = z.custom<Row>(isMap, notMap).meta({
  type: 'object',
  required: ['s_id'],
  properties: { s_id: { type: 'integer' } },
  additionalProperties: true,
});

export const rowsBody = z
  .strictObject({ rows: z.array(sentRow).min(1).max(5_000) })
  .meta({ examples: [{ rows: [{ s_id: 1, order_no: 'A-100', amount: 12.5 }] }] });

/** A row identified by its key needs no s_id. */
const upsertedRow = z
  .custom<Row>(isMap, notMap)
  .meta({ type: 'object', properties: { s_id: { type: 'integer' } }, additionalProperties: true });

export const upsertBody = z
  .strictObject({ rows: z.array(upsertedRow).min(1).max(5_000) })
  .meta({ examples: [{ rows: [{ order_no: 'A-100', amount: 12.5 }] }] });

const rowId = z
  .custom<JsonValue>(
    (value) => {
      const integer = integerOf(value as JsonValue);
      return integer !== undefined && fitsInt64(integer);
    },
    { error: 'Input should be a 64-bit integer', params: { type: 'int_type' } },
  )
  .meta({ type: 'integer' });

export const deleteBody = z
  .strictObject({
    s_ids: z.array(rowId).min(1).max(5_000).optional(),
    keys: z
      .array(z.custom<Row>(isMap, notMap).meta({ type: 'object', additionalProperties: true }))
      .min(1)
      .max(5_000)
      .optional()
      .describe('The key columns and their values, for each row.'),
  })
  .refine(({ s_ids: ids, keys }) => (ids === undefined) !== (keys === undefined), {
    message: 'Send either s_ids or keys, not both.',
  })
  .meta({
    oneOf: [
      { title: 'by id', required: ['s_ids'], properties: { keys: false } },
      { title: 'by key', required: ['keys'], properties: { s_ids: false } },
    ],
    examples: [{ s_ids: [1, 2] }, { keys: [{ order_no: 'A-100' }] }],
  });

export const deleted = envelope(z.object({ rowsDeleted: z.int(), tableVersion: z.int() })).meta({
  examples: [{ data: { rowsDeleted: 2, tableVersion: 13 } }],
});

export const appended = envelope(z.object({ rowsWritten: z.int(), tableVersion: z.int() })).meta({
  examples: [{ data: { rowsWritten: 1, tableVersion: 12 } }],
});

export const upserted = envelope(
  z.object({ inserted: z.int(), updated: z.int(), tableVersion: z.int() }),
).meta({ examples: [{ data: { inserted: 1, updated: 0, tableVersion: 12 } }] });

export const reservationBody = z
  .strictObject({ count: z.int().min(1).max(1_000_000) })
  .meta({ examples: [{ count: 1_000 }] });

const shownId = z.union([z.int(), z.string()]).describe('A number within ±2^53, otherwise a string.');
export const reservation = envelope(z.object({ first: shownId, last: shownId })).meta({
  examples: [{ data: { first: 1_001, last: 2_000 } }],
});

export const rowsQuery = pageQuery
  .extend({
    limit: integerText(z.int().min(1).max(5_000).default(50)).describe('The number of rows per page.'),
    version: integerText(z.int().min(0)).optional().describe('A past version of the table.'),
    offset: integerText(z.int().min(0))
      .optional()
      .describe(
        'The number of rows to skip, instead of a cursor. The response then has `total` and `version`.',
      ),
  })
  .refine(({ cursor, offset }) => cursor === undefined || offset === undefined, {
    message: 'Send either a cursor or an offset, not both.',
    path: ['offset'],
  });

const rowPage = page(z.record(z.string(), z.unknown()));
export const rowsPage = rowPage
  .extend({
    total: z.int().optional().describe('The number of rows of the version, if you sent an `offset`.'),
    version: z.int().optional().describe('The version that was read, if you sent an `offset`.'),
  })
  .meta({
    examples: [{ items: [{ s_id: 1, order_no: 'A-100', amount: 12.5 }], nextCursor: null }],
  });
