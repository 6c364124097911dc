import type { RecordOf } from '../../../data/postgres/records.ts';
import type { DataVersion, Message, MessagePart } from './messages.ts';

type QueuedMessage = RecordOf<'queued_messages'>;
type Approval = RecordOf<'approvals'>;

/** The parts of a reply as clients see them, in answers and in events. */
export type PartView =
  | { type: 'text'; text: string }
  | {
      type: 'tool_call';
      toolCallId: string;
      name: string;
      input: unknown;
      status: NonNullable<MessagePart['status']>;
      summary: string;
      resultId: string | null;
      elapsedMs: number | null;
    }
  | { type: 'chart'; chartId: string; title: string }
  | { type: 'report'; reportId: string; title: string };

export function partView(part: MessagePart): PartView {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'chart':
      return { type: 'chart', chartId: part.resource_id ?? '', title: part.title ?? '' };
    case 'report':
      return { type: 'report', reportId: part.resource_id ?? '', title: part.title ?? '' };
    default:
      return {
        type: 'tool_call',
        toolCallId: part.tool_call_id ?? '',
        name: part.name ?? '',
        input: part.input,
        status: part.status ?? 'running',
        summary: part.summary ?? '',
        resultId: part.result_id,
        elapsedMs: part.elapsed_ms,
      };
  }
}

export interface MessageView {
  id: string;
  role: Message['role'];
  status: Message['status'];
  content: string;
  displayContent: string;
  parts: PartView[];
  model: string;
  effort: Message['effort'];
  usage: { inputTokens: number; outputTokens: number } | null;
  createdByUserId: string | null;
  createdAt: string;
  completedAt: string | null;
  error: { code: string; message: string } | null;
  dataVersions: DataVersion[];
  /** It was made from a table that the reader may not read: it has neither text nor parts. */
  withheld: boolean;
}

interface Shown {
  parts: readonly MessagePart[];
  isWithheld: boolean;
}

export function messageView(
  message: Message,
  { parts, isWithheld }: Shown = { parts: [], isWithheld: false },
): MessageView {
  const content = message.role === 'user' ? message.content : contentOf(parts);
  return {
    id: message.id,
    role: message.role,
    status: message.status,
    content,
    displayContent: isWithheld ? '' : (message.display_content ?? content),
    parts: message.role === 'user' ? [{ type: 'text', text: content }] : parts.map(partView),
    model: message.model,
    effort: message.effort,
    // Not included in any event before the last one.
    usage: message.role === 'user' || message.completed_at === null ? null : usageOf(message),
    createdByUserId: message.created_by,
    createdAt: message.created_at.toISOString(),
    completedAt: message.completed_at?.toISOString() ?? null,
    error: errorOf(message),
    dataVersions: isWithheld ? [] : message.data_versions,
    withheld: isWithheld,
  };
}

/** The complete text of a reply. */
export function contentOf(parts: readonly MessagePart[]): string {
  return parts
    .filter((part) => part.type === 'text' && part.text !== '')
    .map((part) => part.text)
    .join('\n\n');
}

export const usageOf = (message: Message) => ({
  inputTokens: message.input_tokens,
  outputTokens: message.output_tokens,
});

export const errorOf = (message: Message) =>
  message.status === 'error' && message.error_code !== null
    ? { code: message.error_code, message: message.error_message ?? '' }
    : null;

/** Texts are never null, but "" until known. */
export interface QueuedMessageView {
  id: string;
  position: number;
  state: QueuedMessage['status'];
  message: string;
  displayContent: string;
  model: string;
  effort: string;
  createdAt: string;
  behindMessageId: string;
  createdByUserId: string;
  messageId: string;
  userMessageId: string;
  failureCode: string;
  failureDetail: string;
  held: boolean;
  revision: number;
}

/** `place` is its position in the queue, from 1. */
export function queuedMessageView(row: QueuedMessage, place: number, isHeld: boolean): QueuedMessageView {
  const isWaiting = row.status === 'queued';
  return {
    id: row.id,
    position: isWaiting ? place : 0,
    state: row.status,
    message: row.message,
    displayContent: row.display_content ?? row.message,
    model: row.model,
    effort: row.effort ?? '',
    createdAt: row.created_at.toISOString(),
    behindMessageId: row.behind_message_id ?? '',
    createdByUserId: row.created_by,
    messageId: row.message_id ?? '',
    userMessageId: row.user_message_id ?? '',
    failureCode: row.failure_code ?? '',
    failureDetail: row.failure_detail ?? '',
    held: isWaiting && isHeld,
    revision: row.revision,
  };
}

/** A tool call that needs a person's approval, as clients see it. */
export interface ApprovalView {
  id: string;
  messageId: string;
  toolCallId: string;
  name: string;
  input: unknown;
  status: Approval['status'];
  note: string;
  decidedByUserId: string | null;
  createdAt: string;
  expiresAt: string;
  decidedAt: string | null;
}

export function approvalView(approval: Approval, part: MessagePart): ApprovalView {
  return {
    id: approval.id,
    messageId: approval.message_id,
    toolCallId: part.tool_call_id ?? '',
    name: part.name ?? '',
    input: part.input,
    status: approval.status,
    note: approval.note,
    decidedByUserId: approval.decided_by,
    createdAt: approval.created_at.toISOString(),
    expiresAt: approval.expires_at.toISOString(),
    decidedAt: approval.decided_at?.toISOString() ?? null,
  };
}
