import type { AssistantContent, ModelMessage, ToolContent } from 'ai';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import { listMessages, type Message, type MessagePart, partsOf } from '../conversations/messages.ts';
import { markData } from './marked-data.ts';

/** Messages of the conversation that a prompt may hold, the present question included. */
const maxMessages = 60;
/** Of a token, on the careful side: a prompt that is too long is refused whole. */
const charactersPerToken = 2.5;
/** What is left for the answer and the tools' own descriptions. */
const promptShare = 0.7;
/** Tool results of turns before are dropped beyond so many characters, and shown again by asking again. */
const droppedResult = 'Dropped to save room; call the tool again if you need it.';

/** What the model is shown of the conversation, up to the reply it works at. */
export async function promptOf(
  db: OrganizationTransaction,
  reply: Message,
  contextTokens: number,
): Promise<ModelMessage[]> {
  const rows = await listMessages(db, reply.organization_id, reply.conversation_id, {
    after: reply.position + 1,
    limit: maxMessages,
  });
  const messages = rows.reverse();
  const ids = messages.filter(({ role }) => role === 'assistant').map(({ id }) => id);
  const [parts, steps] = await Promise.all([
    partsOf(db, reply.organization_id, ids),
    stepsOf(db, reply.organization_id, ids),
  ]);
  const told = messages.flatMap((message) =>
    message.role === 'user'
      ? [{ role: 'user' as const, content: message.content }]
      : toldReply(message, parts.get(message.id) ?? [], steps.get(message.id) ?? [], message.id === reply.id),
  );
  return fitting(told, contextTokens * charactersPerToken * promptShare);
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
    steps.set(id, [...(steps.get(id) ?? []), { step, response: response as unknown as AssistantContent }]);
  return steps;
}

/** A reply as the model gave it, step by step, each with what its tools answered. */
function toldReply(
  message: Message,
  parts: readonly MessagePart[],
  steps: readonly Step[],
  isPresent: boolean,
): ModelMessage[] {
  const told: ModelMessage[] = [];
  for (const { step, response } of steps) {
    told.push({ role: 'assistant', content: response });
    const results = parts.filter((part) => part.step === step && part.type === 'tool_call').map(resultOf);
    if (results.length > 0) told.push({ role: 'tool', content: results });
  }
  if (isPresent) return told;
  // What was streamed of a step that never ended, and why there is no more.
  const ended = new Set(steps.map(({ step }) => step));
  const rest = parts.filter((part) => part.type === 'text' && !ended.has(part.step)).map(({ text }) => text);
  if (message.status === 'cancelled') rest.push('(Stopped here.)');
  if (message.status === 'error') rest.push(`(Ended with the error ${message.error_code}.)`);
  if (rest.length > 0) told.push({ role: 'assistant', content: rest.join('\n\n') });
  return told;
}

function resultOf(part: MessagePart): ToolContent[number] {
  const json = part.output ?? JSON.stringify({ error: { code: 'cancelled', message: 'It was cancelled.' } });
  return {
    type: 'tool-result',
    toolCallId: part.tool_call_id ?? '',
    toolName: part.name ?? '',
    output: { type: 'text', value: markData(part.message_id, json) },
  };
}

/**
 * Cuts a prompt to size: first old results of tools, the oldest first, then whole messages from the front. The last
 * question, and what was done about it, stay.
 */
function fitting(told: ModelMessage[], maxCharacters: number): ModelMessage[] {
  const question = told.findLastIndex(({ role }) => role === 'user');
  let size = told.reduce((sum, message) => sum + sizeOf(message), 0);
  const kept = told.map((message, index) => {
    if (size <= maxCharacters || message.role !== 'tool') return message;
    // Those of the present turn are cut last, and never the newest.
    if (index === told.length - 1) return message;
    const dropped = dropResults(message.content);
    size -= sizeOf(message) - sizeOf({ role: 'tool', content: dropped });
    return { role: 'tool' as const, content: dropped };
  });
  let first = 0;
  while (size > maxCharacters && first < question) {
    size -= sizeOf(kept[first]!);
    first += 1;
    // A result without its call is no message.
    while (first < question && kept[first]!.role === 'tool') {
      size -= sizeOf(kept[first]!);
      first += 1;
    }
  }
  return kept.slice(first);
}

function dropResults(content: ToolContent): ToolContent {
  return content.map((part) =>
    part.type === 'tool-result' ? { ...part, output: { type: 'text', value: droppedResult } } : part,
  );
}

const sizeOf = (message: ModelMessage): number => JSON.stringify(message.content).length;
