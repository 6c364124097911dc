import { z } from 'zod';
import { connectionTypes, type Field } from '../../../domain/intake/data-connections/types/field.ts';
import { typeTables } from '../../../domain/intake/data-connections/types/types.ts';

const condition = z.record(z.string(), z.array(z.string()));

const fieldSchema = z
  .object({
    key: z.string().describe('The key to send.'),
    label: z.string().describe('The name of the field in errors.'),
    required: z.boolean(),
    type: z.enum(['string', 'integer', 'boolean', 'enum']),
    values: z.array(z.string()).optional().describe('The values of an enum.'),
    example: z.union([z.string(), z.number(), z.boolean()]).optional(),
    applies_when: condition
      .optional()
      .describe('The field is allowed only if each field listed here has one of its values.'),
    required_when: condition
      .optional()
      .describe('The field is required if each field listed here has one of its values.'),
  })
  .meta({ id: 'ConnectionField' });

export const listedTypes = connectionTypes.map((type) => {
  const { label, config, secrets } = typeTables[type];
  return { type, label, config: config.map(fieldView), secrets: secrets.map(fieldView) };
});

export const typesAnswer = z
  .object({
    types: z.array(
      z.object({
        type: z.enum(connectionTypes),
        label: z.string(),
        config: z.array(fieldSchema),
        secrets: z.array(fieldSchema),
      }),
    ),
    undocumented_types: z
      .array(z.string())
      .describe("Types whose fields aren't described here. Always empty."),
  })
  .meta({ examples: [{ types: listedTypes.slice(0, 1), undocumented_types: [] }] });

function fieldView(field: Field): z.input<typeof fieldSchema> {
  const { key, label, required, type, values, example, appliesWhen, requiredWhen } = field;
  const copied = (when: NonNullable<Field['appliesWhen']>) =>
    Object.fromEntries(Object.entries(when).map(([name, allowed]) => [name, [...allowed]]));
  return {
    key,
    label,
    required,
    type,
    ...(values === undefined ? {} : { values: [...values] }),
    ...(example === undefined ? {} : { example }),
    ...(appliesWhen === undefined ? {} : { applies_when: copied(appliesWhen) }),
    ...(requiredWhen === undefined ? {} : { required_when: copied(requiredWhen) }),
  };
}
