import { z } from 'zod';
import { urlFault } from '../../../data/outgoing/outgoing.ts';
import type { AppConnection } from '../../../domain/analyst/app-connections/app-connections.ts';
import type { TestOutcome } from '../../../domain/analyst/app-connections/refresh.ts';
import { characters, envelope, nullableTimestamp, timestamp, visibleName } from '../../schemas.ts';
import { summaryExample, summaryView, toolSummary } from './tool-schemas.ts';

const stage = z.enum(['resolve', 'address_refused', 'connect', 'tls', 'login', 'permission', 'request']);
const failure = z.object({ stage, message: z.string() }).nullable();

export const appConnectionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(['mcp']),
    url: z.string(),
    secretKeys: z
      .array(z.string())
      .describe('The names of the secrets that are set. Each header is listed by its name.'),
    validateServerAddress: z.boolean(),
    status: z
      .enum(['untested', 'ready', 'failed'])
      .describe('Whether the server listed its tools when it was last asked.'),
    failure,
    tools: z
      .array(toolSummary)
      .describe('The tools by name, including tools that the server no longer lists.'),
    createdByUserId: z.string().describe('The user or API client that created the connection.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    lastTestedAt: nullableTimestamp,
  })
  .meta({ id: 'AppConnection' });

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
  .describe('The address of the MCP server, which must support streamable HTTP.');
const secret = characters(1, 8_192).nullable().optional();

const secrets = z
  .strictObject({
    token: secret.describe('A bearer token.'),
    headers: z
      .record(z.string(), characters(1, 4_096).nullable())
      .nullable()
      .optional()
      .describe('Up to 20 headers to send with every request.'),
    client_id: secret.describe('OAuth client credentials, together with `client_secret` and `token_url`.'),
    client_secret: secret,
    token_url: secret,
    scope: secret,
  })
  .describe('Stored encrypted and never shown. Send null to remove a secret.');
const validateServerAddress = z
  .boolean()
  .describe('Whether private addresses are refused. You can send `false` only if the operator allows it.');

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

/** Any text is accepted as the type, so that a different type, known or not, is refused as unchangeable. */
export const changeAppConnectionBody = z
  .strictObject({
    name: name.optional(),
    type: characters(1, 64).optional().describe("The type can't change."),
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
        failure: { stage: 'login', message: "The server answered 401: it doesn't accept the secrets." },
      } satisfies TestOutcome,
    },
  ],
});

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
