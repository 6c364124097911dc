import { z } from 'zod';
import { urlFault } from '../../data/outgoing/outgoing.ts';
import type { AppConnection } from '../../domain/app-connections/app-connections.ts';
import {
  type AppTool,
  isChanged,
  notOfferedReason,
  policyOf,
} from '../../domain/app-connections/app-tools.ts';
import type { TestOutcome } from '../../domain/app-connections/refresh.ts';
import { keptMap } from '../free-form.ts';
import {
  characters,
  envelope,
  nullableTimestamp,
  page,
  pageQuery,
  timestamp,
  visibleName,
} from '../schemas.ts';

const policy = z.enum(['allow', 'ask', 'deny']);
const stage = z.enum(['resolve', 'address_refused', 'connect', 'tls', 'login', 'permission', 'request']);
const failure = z.object({ stage, message: z.string() }).nullable();

const toolSummary = z.object({
  name: z.string(),
  readOnly: z.boolean().describe('Whether the tool says that it changes nothing.'),
  policy,
  changed: z
    .boolean()
    .describe('Whether it is another tool than was decided on; until it is decided anew it asks.'),
  offered: z.boolean().describe('Whether the analyst is told of it.'),
});

export const appConnectionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(['mcp']),
    url: z.string(),
    secretKeys: z.array(z.string()).describe('Which secrets are set; of headers each by its name.'),
    validateServerAddress: z.boolean(),
    status: z
      .enum(['untested', 'ready', 'failed'])
      .describe('Whether the server listed its tools when it was asked last.'),
    failure,
    tools: z.array(toolSummary).describe('By name, those that the server lists no longer too.'),
    createdByUserId: z.string().describe('The user, or the API client, that made it.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    lastTestedAt: nullableTimestamp,
  })
  .meta({ id: 'AppConnection' });

const summaryExample = {
  name: 'search_contacts',
  readOnly: true,
  policy: 'allow',
  changed: false,
  offered: true,
} as const;

export const appConnectionExample: z.input<typeof appConnectionSchema> = {
  id: 'app_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'CRM',
  type: 'mcp',
  url: 'https://crm.example.com/mcp',
  secretKeys: ['token'],
  validateServerAddress: true,
  status: 'ready',
  failure: null,
  tools: [summaryExample],
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
  lastTestedAt: '2026-11-21T08:30:01.000Z',
};

const name = visibleName(255).overwrite((text) => text.trim());
const url = characters(1, 2_048)
  .check(({ value, issues }) => {
    const message = urlFault(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  })
  .describe('The address of the MCP server, over streamable HTTP.');
const secret = characters(1, 8_192).nullable().optional();

const secrets = z
  .strictObject({
    token: secret.describe('A bearer token.'),
    headers: z
      .record(z.string(), characters(1, 4_096).nullable())
      .nullable()
      .optional()
      .describe('Headers that go with every request, at most 20.'),
    client_id: secret.describe('OAuth client credentials, with `client_secret` and `token_url`.'),
    client_secret: secret,
    token_url: secret,
    scope: secret,
  })
  .describe('Kept encrypted and never shown. A null removes one.');
const validateServerAddress = z
  .boolean()
  .describe('Whether private addresses are refused. `false` only where the operator allows it.');

export const createAppConnectionBody = z
  .strictObject({
    name,
    type: z.literal('mcp'),
    url,
    secrets: secrets.default({}),
    validate_server_address: validateServerAddress.default(true),
  })
  .meta({
    examples: [
      { name: 'CRM', type: 'mcp', url: 'https://crm.example.com/mcp', secrets: { token: 'a-token' } },
    ],
  });

/** A type is read as any text: one that is known and another one is told as what cannot change. */
export const changeAppConnectionBody = z
  .strictObject({
    name: name.optional(),
    type: characters(1, 64).optional().describe('Cannot change.'),
    url: url.optional(),
    secrets: secrets.optional(),
    validate_server_address: validateServerAddress.optional(),
  })
  .meta({ examples: [{ secrets: { token: 'another-token', headers: { 'x-tenant': null } } }] });

export const testAnswer = envelope(z.object({ ok: z.boolean(), elapsedMs: z.int(), failure })).meta({
  examples: [
    {
      data: {
        ok: false,
        elapsedMs: 180,
        failure: { stage: 'login', message: 'The server answered 401: it does not accept the secrets.' },
      } satisfies TestOutcome,
    },
  ],
});

const toolSchema = toolSummary
  .extend({
    title: z.string().nullable(),
    description: z.string().describe('As the analyst reads it: at most 4000 characters.'),
    inputSchema: keptMap.nullable().describe('A JSON Schema; null where it cannot be offered.'),
    notOfferedReason: z.string().nullable(),
    fingerprint: z.string().describe('Of the tool as it is. Decide with it to decide on what was read.'),
    decidedByUserId: z.string().nullable(),
    decidedAt: nullableTimestamp,
    seenAt: timestamp.describe('When the server listed it last.'),
  })
  .meta({ id: 'AppTool' });

const toolExample: z.input<typeof toolSchema> = {
  ...summaryExample,
  title: 'Search contacts',
  description: 'Finds contacts by name or company.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  notOfferedReason: null,
  fingerprint: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  decidedByUserId: null,
  decidedAt: null,
  seenAt: '2026-11-21T08:30:01.000Z',
};

export const toolsAnswer = page(toolSchema).meta({ examples: [{ items: [toolExample], nextCursor: null }] });
export const toolAnswer = envelope(toolSchema).meta({ examples: [{ data: toolExample }] });

export const toolsQuery = pageQuery.extend({
  refresh: z.enum(['true', 'false']).default('false').describe('Ask the server first.'),
});

export const decideToolBody = z
  .strictObject({
    policy,
    fingerprint: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('Of the tool that was read: another one is then not decided on.'),
  })
  .meta({ examples: [{ policy: 'allow', fingerprint: toolExample.fingerprint }] });

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

export function appConnectionView(connection: AppConnection): z.input<typeof appConnectionSchema> {
  const { failure_stage: at, failure_message: message } = connection;
  return {
    id: connection.id,
    name: connection.name,
    type: connection.type,
    url: connection.url,
    secretKeys: connection.secret_keys,
    validateServerAddress: connection.validate_server_address,
    status: connection.status,
    failure: at === null ? null : { stage: at as z.infer<typeof stage>, message: message ?? '' },
    tools: connection.tools.map(summaryView),
    createdByUserId: connection.created_by,
    createdAt: connection.created_at.toISOString(),
    updatedAt: connection.updated_at.toISOString(),
    lastTestedAt: connection.tested_at?.toISOString() ?? null,
  };
}

function summaryView(tool: AppTool): z.input<typeof toolSummary> {
  return {
    name: tool.name,
    readOnly: tool.is_read_only,
    policy: policyOf(tool),
    changed: isChanged(tool),
    offered: notOfferedReason(tool) === undefined,
  };
}

export function toolView(tool: AppTool): z.input<typeof toolSchema> {
  return {
    ...summaryView(tool),
    title: tool.title,
    description: tool.description,
    inputSchema:
      tool.input_schema === null ? null : (JSON.parse(tool.input_schema) as Record<string, unknown>),
    notOfferedReason: notOfferedReason(tool) ?? null,
    fingerprint: tool.fingerprint,
    decidedByUserId: tool.decided_by,
    decidedAt: tool.decided_at?.toISOString() ?? null,
    seenAt: tool.seen_at.toISOString(),
  };
}
