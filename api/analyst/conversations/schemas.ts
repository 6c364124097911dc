import { z } from 'zod';
import type { Conversation } from '../../../domain/analyst/conversations/conversations.ts';
import {
  characters,
  confirmQuery,
  effortSchema,
  integerText,
  timestamp,
  visibleName,
} from '../../schemas.ts';

export const conversationSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    title: z.string(),
    createdByUserId: z.string().describe('The user or API client that created the conversation.'),
    createdAt: timestamp,
    updatedAt: timestamp.describe('When the conversation was last active.'),
    messageCount: z.int(),
    queueHeld: z
      .boolean()
      .describe('Whether the queue is held after a stop. It stays held until it is resumed.'),
  })
  .meta({ id: 'Conversation' });

export const conversationExample: z.input<typeof conversationSchema> = {
  id: 'cnv_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  title: 'Revenue by country',
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:31:12.000Z',
  messageCount: 2,
  queueHeld: false,
};

export function conversationView(row: Conversation): z.input<typeof conversationSchema> {
  return {
    id: row.id,
    projectId: row.project_id,
    title: row.title,
    createdByUserId: row.created_by,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    messageCount: row.message_count,
    queueHeld: row.queue_held,
  };
}

const toolStatus = z.enum(['running', 'waiting_approval', 'done', 'failed', 'denied', 'cancelled']);

export const partSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({
      type: z.literal('tool_call'),
      toolCallId: z.string(),
      name: z.string(),
      input: z.unknown(),
      status: toolStatus,
      summary: z.string(),
      resultId: z.string().nullable().describe('The id of the rows that the tool returned, if any.'),
      elapsedMs: z.int().nullable(),
    }),
    z.object({ type: z.literal('chart'), chartId: z.string(), title: z.string() }),
    z.object({ type: z.literal('report'), reportId: z.string(), title: z.string() }),
  ])
  .meta({ id: 'MessagePart' });

export const messageSchema = z
  .object({
    id: z.string(),
    role: z.enum(['user', 'assistant']),
    status: z.enum(['streaming', 'waiting_approval', 'complete', 'error', 'cancelled']),
    content: z.string().describe('The whole text.'),
    displayContent: z.string(),
    parts: z.array(partSchema),
    model: z.string(),
    effort: effortSchema.nullable(),
    usage: z
      .object({ inputTokens: z.int(), outputTokens: z.int() })
      .nullable()
      .describe('The tokens that a reply used. Set when it has ended.'),
    createdByUserId: z.string().nullable(),
    createdAt: timestamp,
    completedAt: timestamp.nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    dataVersions: z
      .array(z.object({ tableId: z.string(), version: z.int() }))
      .describe('The version of each attached table that the turn reads.'),
    withheld: z
      .boolean()
      .describe(
        "Whether the message was made from a table that the caller can't read, for example because a grant was revoked. Such a message has no text and no parts.",
      ),
  })
  .meta({ id: 'Message' });

export const messageExample: z.input<typeof messageSchema> = {
  id: 'msg_01kahz3v6dfyvb1s8m3h9q2w4x',
  role: 'assistant',
  status: 'complete',
  content: 'There are 1,204 orders from Germany.',
  displayContent: 'There are 1,204 orders from Germany.',
  parts: [
    {
      type: 'tool_call',
      toolCallId: 'call_1',
      name: 'run_sql',
      input: { sql: `SELECT count(*) AS orders FROM "orders" WHERE "country" = 'DE'`, title: 'Orders' },
      status: 'done',
      summary: '1 row.',
      resultId: 'res_01kahz3v6dfyvb1s8m3h9q2w4x',
      elapsedMs: 24,
    },
    { type: 'text', text: 'There are 1,204 orders from Germany.' },
  ],
  model: 'offline',
  effort: null,
  usage: { inputTokens: 0, outputTokens: 0 },
  createdByUserId: null,
  createdAt: '2026-11-21T08:30:00.000Z',
  completedAt: '2026-11-21T08:30:01.200Z',
  error: null,
  dataVersions: [{ tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', version: 12 }],
  withheld: false,
};

export const queuedMessageSchema = z
  .object({
    id: z.string(),
    position: z.int().describe('1 is the next message. 0 means that it has left the queue.'),
    state: z
      .enum(['queued', 'dispatching', 'dispatched', 'failed', 'removed'])
      .describe(
        'The state of the message. A queued message becomes a turn in one transaction, so you never see `dispatching`.',
      ),
    message: z.string(),
    displayContent: z.string(),
    model: z.string(),
    effort: z.string(),
    createdAt: timestamp,
    behindMessageId: z.string().describe('The reply that was in progress when the message was queued.'),
    createdByUserId: z.string(),
    messageId: z.string().describe('The reply to this message.'),
    userMessageId: z.string(),
    failureCode: z.string(),
    failureDetail: z.string(),
    held: z.boolean(),
    revision: z.int(),
  })
  .meta({ id: 'QueuedMessage', description: 'Texts are "" until they are known.' });

export const queuedMessageExample: z.input<typeof queuedMessageSchema> = {
  id: 'que_01kahz3v6dfyvb1s8m3h9q2w4x',
  position: 1,
  state: 'queued',
  message: 'And by month?',
  displayContent: 'And by month?',
  model: 'offline',
  effort: '',
  createdAt: '2026-11-21T08:30:00.000Z',
  behindMessageId: 'msg_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  messageId: '',
  userMessageId: '',
  failureCode: '',
  failureDetail: '',
  held: false,
  revision: 1,
};

export const shownConversation = conversationSchema
  .extend({
    messages: z.array(messageSchema).describe('The newest 100 messages, oldest first.'),
    messagesCursor: z
      .string()
      .nullable()
      .describe('A cursor for the list of messages, which continues with older ones.'),
    activeTurn: messageSchema.nullable().describe('The reply in progress.'),
    queuedTurns: z.array(queuedMessageSchema).describe('The queued messages, next one first.'),
    lastEventId: z
      .int()
      .describe('The last event that this response includes. Follow the events from there.'),
  })
  .meta({ id: 'ShownConversation' });

const messageText = visibleName(32_000);
const displayContent = characters(0, 32_000).describe('The text that people see instead of the message.');
const model = characters(1, 255).describe(
  'The id of a model of `GET /v1/models`. Optional: there is a default model.',
);

export const createConversationBody = z
  .strictObject({
    title: characters(0, 255).optional(),
    message: messageText.optional().describe('A message to post at once. Optional.'),
    display_content: displayContent.optional(),
    model: model.optional(),
    effort: effortSchema.optional(),
  })
  .default({})
  .meta({ examples: [{ title: 'Revenue', message: 'Which tables are there?' }] });

export const changeConversationBody = z
  .strictObject({ title: visibleName(255) })
  .meta({ examples: [{ title: 'Revenue by country' }] });

export const postMessageBody = z
  .strictObject({
    message: messageText,
    display_content: displayContent.optional(),
    model: model.optional(),
    effort: effortSchema.optional(),
    on_busy: z
      .enum(['enqueue', 'reject', 'interrupt'])
      .default('enqueue')
      .describe(
        'What to do if another message is being answered or the queue is held: wait, refuse the message, or replace the current reply.',
      ),
  })
  .meta({ examples: [{ message: 'How many orders were there by country in 2025?' }] });

export const posted = z
  .object({
    messageId: z.string().nullable().describe('The reply to come, if its turn started at once.'),
    userMessageId: z.string().nullable(),
    queuedMessage: queuedMessageSchema.nullable().describe('The queue entry of the message, if it waits.'),
    lastEventId: z
      .int()
      .describe('Follow the events from here to see everything that results from the message.'),
  })
  .meta({ id: 'PostedMessage' });

export const cancelled = z
  .object({
    messageId: z.string(),
    status: z.enum(['cancelled', 'already_complete', 'already_error']),
    queueHeld: z.boolean(),
  })
  .meta({ id: 'CancelledReply' });

export const changeQueuedBody = z
  .strictObject({
    message: messageText.optional(),
    display_content: displayContent.optional(),
    model: model.optional(),
    effort: effortSchema.optional(),
    expected_revision: z.int().min(1).optional(),
  })
  .meta({ examples: [{ message: 'And by week?', expected_revision: 1 }] });

export const removeQueuedQuery = z.object({
  expected_revision: integerText(z.int().min(1)).optional(),
});

export const resumed = z.object({ queueHeld: z.literal(false), queuedTurns: z.array(queuedMessageSchema) });

export { confirmQuery };
