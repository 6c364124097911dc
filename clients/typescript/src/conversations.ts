import type { Workspace } from './client.ts';
import { errorOf } from './errors.ts';
import { backoffMs, pause } from './pause.ts';
import type { components } from './schema.gen.ts';
import { serverSentEvents } from './server-sent-events.ts';

export type Message = components['schemas']['Message'];
export type MessagePart = components['schemas']['MessagePart'];

interface Of<Name extends string, Data> {
  /** Durable and growing: where to follow from. */
  id: number;
  event: Name;
  data: Data;
}
interface AtPart {
  messageId: string;
  partIndex: number;
}

/** What happens in a conversation. */
export type ConversationEvent =
  | Of<'message.created', { messageId: string; message: Message }>
  | Of<'turn.started', { messageId: string; userMessageId: string; dataVersions: Message['dataVersions'] }>
  | Of<'text.delta', AtPart & { text: string }>
  | Of<'tool.started' | 'tool.finished' | 'chart.created' | 'report.created', AtPart & { part: MessagePart }>
  | Of<'approval.requested', { messageId: string } & Record<string, unknown>>
  | Of<'part.retracted', AtPart>
  | Of<'turn.finished', { messageId: string } & Pick<Message, 'status' | 'error' | 'usage' | 'completedAt'>>
  | Of<'queue.changed', Record<string, unknown>>;

export interface InConversation {
  projectId: string;
  conversationId: string;
}

export interface FollowOptions {
  /** The id of the last event that is known; from now without it. */
  after?: number;
  signal?: AbortSignal;
}

/**
 * The events of a conversation, each once and in order, for as long as they are taken: after a broken
 * connection it goes on from the last one.
 */
export async function* follow(
  workspace: Workspace,
  { projectId, conversationId }: InConversation,
  { after, signal }: FollowOptions = {},
): AsyncGenerator<ConversationEvent, never, undefined> {
  const path = `/v1/projects/${encodeURIComponent(projectId)}/conversations/${encodeURIComponent(conversationId)}`;
  let last = after ?? (await latestEvent(workspace, { projectId, conversationId }));
  for (let failures = 0; ; ) {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(last) };
    const response = await workspace.send(`${path}/events`, {
      headers,
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok) throw await errorOf(response);
    try {
      for await (const { id, event, data } of serverSentEvents(response.body!)) {
        failures = 0;
        if (id === undefined || Number(id) <= last) continue;
        last = Number(id);
        yield { id: last, event, data: JSON.parse(data) } as ConversationEvent;
      }
    } catch (error) {
      signal?.throwIfAborted();
      // What broke is the connection; anything that a request refuses is thrown above.
      if (!(error instanceof Error) || error.name === 'SyntaxError') throw error;
    }
    failures += 1;
    await pause(backoffMs(failures), signal);
  }
}

/** Following from here misses nothing that happens later, also while no connection is open. */
async function latestEvent(
  workspace: Workspace,
  { projectId, conversationId }: InConversation,
): Promise<number> {
  const path = { project_id: projectId, chat_id: conversationId };
  const { data } = await workspace.get('/v1/projects/{project_id}/conversations/{chat_id}', {
    params: { path },
  });
  return data.lastEventId;
}

export interface AskOptions {
  /** Goes on with a conversation; a new one without it. */
  conversationId?: string;
  model?: string;
  effort?: 'low' | 'medium' | 'high';
  /** Called with the id of the conversation before the question is asked. */
  onBegun?: (conversationId: string) => void;
  /** Called with each event of the reply: text as it is written, what was done for it, charts. */
  onEvent?: (event: ConversationEvent) => void;
  signal?: AbortSignal;
}

/** Asks the analyst, and resolves with the whole reply. Aborting ends the following; cancel the reply to stop it. */
export async function ask(
  workspace: Workspace,
  projectId: string,
  message: string,
  { conversationId, onBegun, onEvent, signal, ...how }: AskOptions = {},
): Promise<{ conversationId: string; reply: Message }> {
  const project = { project_id: projectId };
  const chat_id = conversationId ?? (await begun(workspace, projectId, message));
  onBegun?.(chat_id);
  const { data: posted } = await workspace.post(
    '/v1/projects/{project_id}/conversations/{chat_id}/messages',
    {
      params: { path: { ...project, chat_id } },
      body: { message, ...how },
    },
  );
  let replyId = posted.messageId ?? undefined;
  const from = { after: posted.lastEventId, ...(signal === undefined ? {} : { signal }) };
  for await (const event of follow(workspace, { projectId, conversationId: chat_id }, from)) {
    // One that waited in the queue has its ids once its turn begins.
    if (event.event === 'turn.started' && replyId === undefined) {
      const queued = await queuedOf(workspace, { ...project, chat_id }, posted.queuedMessage!.id);
      if (queued.messageId === event.data.messageId) replyId = event.data.messageId;
    }
    if (!('messageId' in event.data) || event.data.messageId !== replyId) continue;
    onEvent?.(event);
    if (event.event === 'turn.finished') break;
  }
  const { data: reply } = await workspace.get(
    '/v1/projects/{project_id}/conversations/{chat_id}/messages/{message_id}',
    { params: { path: { ...project, chat_id, message_id: replyId! } } },
  );
  return { conversationId: chat_id, reply };
}

async function begun(workspace: Workspace, projectId: string, message: string): Promise<string> {
  const { data } = await workspace.post('/v1/projects/{project_id}/conversations', {
    params: { path: { project_id: projectId } },
    body: { title: message.slice(0, 100) },
  });
  return data.id;
}

async function queuedOf(
  workspace: Workspace,
  path: { project_id: string; chat_id: string },
  queued_message_id: string,
) {
  const { data } = await workspace.get(
    '/v1/projects/{project_id}/conversations/{chat_id}/queue/{queued_message_id}',
    { params: { path: { ...path, queued_message_id } } },
  );
  return data;
}
