import { z } from 'zod';

const fieldSchema = z.object({
  key: z.string(),
  label: z.string(),
  required: z.boolean(),
  type: z.enum(['string', 'boolean', 'map']),
  example: z.string().optional(),
  required_when: z.record(z.string(), z.array(z.string())).optional(),
});

const types: {
  type: 'mcp';
  label: string;
  config: z.input<typeof fieldSchema>[];
  secrets: z.input<typeof fieldSchema>[];
}[] = [
  {
    type: 'mcp',
    label: 'MCP server over streamable HTTP',
    config: [
      {
        key: 'url',
        label: 'Address',
        required: true,
        type: 'string',
        example: 'https://crm.example.com/mcp',
      },
      { key: 'validate_server_address', label: 'Refuse private addresses', required: false, type: 'boolean' },
    ],
    secrets: [
      { key: 'token', label: 'Bearer token', required: false, type: 'string' },
      { key: 'headers', label: 'Headers', required: false, type: 'map' },
      { key: 'client_id', label: 'OAuth client id', required: false, type: 'string' },
      { key: 'client_secret', label: 'OAuth client secret', required: false, type: 'string' },
      { key: 'token_url', label: 'OAuth token endpoint', required: false, type: 'string' },
      { key: 'scope', label: 'OAuth scope', required: false, type: 'string' },
    ],
  },
];

export const typesExample = { types };
export const typesAnswer = z
  .object({
    types: z.array(
      z.object({
        type: z.enum(['mcp']),
        label: z.string(),
        config: z.array(fieldSchema),
        secrets: z.array(fieldSchema),
      }),
    ),
  })
  .meta({ examples: [typesExample] });
