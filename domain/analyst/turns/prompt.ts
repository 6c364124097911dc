import type { AssistantContent, ModelMessage, ToolContent } from 'ai';
import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { listMessages, type Message, type MessagePart, partsOf } from '../conversations/messages.ts';
import { addReads, readBy, withheldOf } from '../conversations/withheld.ts';
import { markData } from './marked-data.ts';

/** Maximum number of messages in a prompt, including the current question. */
const maxMessages = 60;
/**
 * A conservative estimate of characters per token, because a prompt that is too long is refused completely.
 */
const charactersPerToken = 2.5;
/** Share of the context used for the prompt; the rest is for the answer and the tools' descriptions. */
const promptShare = 0.7;
/** Replaces a tool's answer when there is no room for it. */
const droppedResult = 'Removed to save space. Call the tool again if you need it.';

/**
 * The conversation as shown to the model, up to the reply being written. Content that does not fit is not
 * even read.
 */
export async function promptOf(
  db: OrganizationTransaction,
  reply: Message,
  contextTokens: number,
): Promise<ModelMessage[]> {
  const { organization_id: organizationId } = reply;
  const rows = await listMessages(db, organizationId, reply.conversation_id, {
    after: reply.position + 1,
    limit: maxMessages,
  });
  const budget = contextTokens * charactersPerToken * promptShare;
  const { shown, left } = fitting(rows, await saidIn(db, organizationId, replyIds(rows)), budget);
  const ids = replyIds(shown);
  // A question goes to the model with what its asker may read.
  const withheld = await withheldOf(db, shown);
  // It may repeat what earlier replies say, so it is made from what they were made from.
  const earlier = shown.filter(
    ({ id, role }) => role === 'assistant' && id !== reply.id && !withheld.has(id),
  );
  const known = new Set(readBy(reply));
  const reads = earlier.flatMap(readBy).filter((id) => !known.has(id));
  await addReads(db, { organizationId, messageId: reply.id }, reads);
  const [parts, steps, outputs] = await Promise.all([
    partsOf(db, organizationId, ids),
    stepsOf(db, organizationId, ids),
    outputsOf(db, organizationId, ids, left),
  ]);
  return shown
    .toReversed()
    .flatMap((message) =>
      message.role === 'user'
        ? [{ role: 'user' as const, content: message.content }]
        : withheld.has(message.id) && message.id !== reply.id
          ? [{ role: 'assistant' as const, content: withheldReply }]
          : replyMessages(
              message,
              parts.get(message.id) ?? [],
              steps.get(message.id) ?? [],
              outputs,
              message.id === reply.id,
            ),
    );
}

/** Stands for a reply of before. */
const withheldReply =
  '(This answer is not shown, because it uses tables that the person who asks now may not read.)';

const replyIds = (rows: readonly Message[]): string[] =>
  rows.filter(({ role }) => role === 'assistant').map(({ id }) => id);

/** Number of characters of the model's output in each reply. */
async function saidIn(
  db: OrganizationTransaction,
  organizationId: string,
  messageIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('message_steps')
    .select(['message_id', sql<number>`sum(length(response::text))::int`.as('said')])
    .where('organization_id', '=', organizationId)
    .where('message_id', 'in', [...messageIds])
    .groupBy('message_id')
    .execute();
  return new Map(rows.map(({ message_id: id, said }) => [id, said]));
}

/**
 * The messages that fit, newest first, and the room left for tool answers. The last question and the answers
 * to it are always included, whatever their size.
 */
function fitting(
  rows: readonly Message[],
  said: ReadonlyMap<string, number>,
  maxCharacters: number,
): { shown: Message[]; left: number } {
  const question = rows.findIndex(({ role }) => role === 'user');
  const shown: Message[] = [];
  let left = maxCharacters;
  for (const [index, message] of rows.entries()) {
    const size = message.content.length + (said.get(message.id) ?? 0);
    if (size > left && index > question) break;
    left -= size;
    shown.push(message);
  }
  // A reply without its question is of little use.
  if (shown.at(-1)?.role === 'assistant' && shown.length > question + 1) shown.pop();
  return { shown, left };
}

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    message_steps: {
      response: Document<AssistantContent>;
    };
  }
}

interface Step {
  step: number;
  response: AssistantContent;
}

async function stepsOf(
  db: OrganizationTransaction,
  organizationId: string,
  messageIds: readonly string[],
): Promise<Map<string, Step[]>> {
  const steps = new Map<string, Step[]>();
  if (messageIds.length === 0) return steps;
  const rows = await db
    .selectFrom('message_steps')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('message_id', 'in', [...messageIds])
    .orderBy('message_id')
    .orderBy('step')
    .execute();
  for (const { message_id: id, step, response } of rows)
    steps.set(id, [...(steps.get(id) ?? []), { step, response }]);
  return steps;
}

/** Tool answers, by message and part. */
type Outputs = ReadonlyMap<string, string | null>;

const outputKey = (messageId: string, index: number): string => `${messageId} ${index}`;

/** The tool answers that fit, newest first; those of the latest step are always included. */
async function outputsOf(
  db: OrganizationTransaction,
  organizationId: string,
  messageIds: readonly string[],
  maxCharacters: number,
): Promise<Outputs> {
  const calls = await db
    .selectFrom('message_parts')
    .select(['message_id', 'part_index', 'step', sql<number>`coalesce(length(output), 0)`.as('size')])
    .where('organization_id', '=', organizationId)
    .where('message_id', 'in', [...messageIds])
    // A turn that could read what the asker of this one may not keeps what its tools returned to itself.
    .where(sql<boolean>`NOT EXISTS (
      SELECT FROM messages m, jsonb_array_elements(m.data_versions) AS v
      WHERE m.organization_id = message_parts.organization_id AND m.id = message_parts.message_id
        AND v ->> 'tableId' = ANY ((SELECT hidden_table_ids())::text[]))`)
    .where('type', '=', 'tool_call')
    .orderBy('message_id', 'desc')
    .orderBy('part_index', 'desc')
    .execute();
  const [newest] = calls;
  let left = maxCharacters;
  const fitting = calls.filter(({ message_id: id, step, size }) => {
    left -= size;
    return left >= 0 || (id === newest?.message_id && step === newest.step);
  });
  if (fitting.length === 0) return new Map();
  const { rows } = await sql<{ message_id: string; part_index: number; output: string | null }>`
    SELECT p.message_id, p.part_index, p.output FROM message_parts p
    JOIN unnest(${fitting.map((call) => call.message_id)}::text[], ${fitting.map((call) => call.part_index)}::int[])
      AS wanted (message_id, part_index) USING (message_id, part_index)
    WHERE p.organization_id = ${organizationId}`.execute(db);
  return new Map(rows.map((row) => [outputKey(row.message_id, row.part_index), row.output]));
}

/** A reply in its original steps, each with its tools' answers. */
function replyMessages(
  message: Message,
  parts: readonly MessagePart[],
  steps: readonly Step[],
  outputs: Outputs,
  isPresent: boolean,
): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const { step, response } of steps) {
    messages.push({ role: 'assistant', content: response });
    const results = parts
      .filter((part) => part.step === step && part.type === 'tool_call')
      .map((part) => resultOf(part, outputs));
    if (results.length > 0) messages.push({ role: 'tool', content: results });
  }
  if (isPresent) return messages;
  // The partial text of a step that never ended, and why it stops.
  const ended = new Set(steps.map(({ step }) => step));
  const rest = parts.filter((part) => part.type === 'text' && !ended.has(part.step)).map(({ text }) => text);
  if (message.status === 'cancelled') rest.push('(Stopped here.)');
  if (message.status === 'error') rest.push(`(The answer ended with the error ${message.error_code}.)`);
  if (rest.length > 0) messages.push({ role: 'assistant', content: rest.join('\n\n') });
  return messages;
}

const cancelledCall = JSON.stringify({ error: { code: 'cancelled', message: 'The call was cancelled.' } });

function resultOf(part: MessagePart, outputs: Outputs): ToolContent[number] {
  const output = outputs.get(outputKey(part.message_id, part.part_index));
  return {
    type: 'tool-result',
    toolCallId: part.tool_call_id ?? '',
    toolName: part.name ?? '',
    output: {
      type: 'text',
      value: output === undefined ? droppedResult : markData(part.message_id, output ?? cancelledCall),
    },
  };
}
