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
      .describe(
        "Whether to change the type even if values change. If a value can't be cast, the change is still refused.",
      ),
    nullable: z
      .literal(true)
      .optional()
      .describe("A column can become nullable. A nullable column can't become required."),
  })
  .refine(
    ({ name, data_type, nullable }) => [name, data_type, nullable].some((change) => change !== undefined),
    {
      message: 'Send at least one change: name, data_type or nullable.',
    },
  )
  .meta({
    anyOf: ['name', 'data_type', 'nullable'].map((change) => ({ title: change, required: [change] })),
    examples: [{ data_type: 'DECIMAL(12,2)', cast: true }],
  });
