import { z } from 'zod';
import type { Row } from '../../domain/records/plan.ts';
import { isMap, notMap } from '../free-form.ts';

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
