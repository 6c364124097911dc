import { z } from 'zod';
import type { Row } from '../../../domain/tables/records/plan.ts';
import { isMap, notMap } from '../../free-form.ts';
import { envelope, integerText, page, pageQuery } from '../../schemas.ts';

/** A row or record as it is documented; it is read where the rows are looked at. */
export const sentRow = z.custom<Row>(isMap, notMap).meta({
  type: 'object',
  required: ['s_id'],
  properties: { s_id: { type: 'integer' } },
  additionalProperties: true,
});

export const rowsBody = z
  .strictObject({ rows: z.array(sentRow).min(1).max(5_000) })
  .meta({ examples: [{ rows: [{ s_id: 1, order_no: 'A-100', amount: 12.5 }] }] });

export const appended = envelope(z.object({ rowsWritten: z.int(), tableVersion: z.int() })).meta({
  examples: [{ data: { rowsWritten: 1, tableVersion: 12 } }],
});

export const upserted = envelope(
  z.object({ inserted: z.int(), updated: z.int(), tableVersion: z.int() }),
).meta({ examples: [{ data: { inserted: 1, updated: 0, tableVersion: 12 } }] });

export const rowsQuery = pageQuery.extend({
  version: integerText(z.int().min(0)).optional().describe('A past version of the table.'),
});

export const rowsPage = page(z.record(z.string(), z.unknown())).meta({
  examples: [{ items: [{ s_id: 1, order_no: 'A-100', amount: 12.5 }], nextCursor: null }],
});
