import { z } from 'zod';
import type { Row } from '../../data/lake/rows/plan.ts';

/** As it is documented; it is read where the rows are looked at. */
export const rowsBody = z
  .strictObject({
    rows: z
      .array(
        z
          .custom<Row>((row) => typeof row === 'object' && row !== null && !Array.isArray(row), {
            error: 'Input should be a valid dictionary',
            params: { type: 'dict_type' },
          })
          .meta({
            type: 'object',
            required: ['s_id'],
            properties: { s_id: { type: 'integer' } },
            additionalProperties: true,
          }),
      )
      .min(1)
      .max(5_000),
  })
  .meta({ examples: [{ rows: [{ s_id: 1, order_no: 'A-100', amount: 12.5 }] }] });
