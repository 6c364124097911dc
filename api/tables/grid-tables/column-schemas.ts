import { z } from 'zod';
import { columnName, dataType } from './schemas.ts';

export const addColumnBody = z
  .strictObject({ name: columnName, nullable: z.boolean().default(true), data_type: dataType.optional() })
  .meta({ examples: [{ name: 'channel', data_type: 'STRING' }] });

export const changeColumnBody = z
  .strictObject({
    name: columnName.optional(),
    data_type: dataType.optional(),
    cast: z
      .boolean()
      .default(false)
      .describe('Retype even where values change; values that cannot be cast still refuse it.'),
    nullable: z.literal(true).optional().describe('A column can become nullable, not the other way.'),
  })
  .refine(
    ({ name, data_type, nullable }) => [name, data_type, nullable].some((change) => change !== undefined),
    {
      message: 'Name at least one change: name, data_type or nullable.',
    },
  )
  .meta({
    anyOf: ['name', 'data_type', 'nullable'].map((change) => ({ title: change, required: [change] })),
    examples: [{ data_type: 'DECIMAL(12,2)', cast: true }],
  });
