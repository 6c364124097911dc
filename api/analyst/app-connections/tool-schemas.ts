import { z } from 'zod';
import {
  type AppTool,
  isChanged,
  notOfferedReason,
  policyOf,
} from '../../../domain/analyst/app-connections/app-tools.ts';
import { keptMap } from '../../free-form.ts';
import { envelope, nullableTimestamp, page, pageQuery, timestamp } from '../../schemas.ts';

const policy = z.enum(['allow', 'ask', 'deny']);

export const toolSummary = z.object({
  name: z.string(),
  readOnly: z.boolean().describe('Whether the tool declares that it changes nothing.'),
  policy,
  changed: z
    .boolean()
    .describe(
      'Whether the tool has changed since the decision. If so, each call needs approval until somebody decides again.',
    ),
  offered: z.boolean().describe('Whether the analyst sees the tool.'),
});

export const summaryExample = {
  name: 'search_contacts',
  readOnly: true,
  policy: 'allow',
  changed: false,
  offered: true,
} as const;

const toolSchema = toolSummary
  .extend({
    title: z.string().nullable(),
    description: z.string().describe('The description that the analyst reads, up to 4000 characters.'),
    inputSchema: keptMap
      .nullable()
      .describe("A JSON Schema. Null if the tool can't be offered to the analyst."),
    notOfferedReason: z.string().nullable(),
    fingerprint: z
      .string()
      .describe(
        'The fingerprint of the current version of the tool. Send it with a decision to decide on exactly this version.',
      ),
    decidedByUserId: z.string().nullable(),
    decidedAt: nullableTimestamp,
    seenAt: timestamp.describe('When the server last listed the tool.'),
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
  refresh: z.enum(['true', 'false']).default('false').describe('Whether to ask the server first.'),
});

export const decideToolBody = z
  .strictObject({
    policy,
    fingerprint: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe(
        'The fingerprint of the tool that you read. If the tool has changed since, no decision is made.',
      ),
  })
  .meta({ examples: [{ policy: 'allow', fingerprint: toolExample.fingerprint }] });

export function summaryView(tool: AppTool): z.input<typeof toolSummary> {
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
