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
  | Of<'queue.changed', { queueHeld: boolean; waiting: number; queuedMessage: { id: string } | null }>
  /** Events before this one are no longer kept: read the conversation anew. */
  | Of<'reset', { lastEventId: number }>;

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
      signal,
    });
    if (!response.ok) throw await errorOf(response);
    try {
      for await (const { id, event, data } of serverSentEvents(response.body!)) {
        failures = 0;
        if (id === undefined || (event !== 'reset' && Number(id) <= last)) continue;
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
  /** Called with the conversation before the question is asked, and with the reply once it is known. */
  onBegun?: (begun: { conversationId: string; replyId?: string }) => void;
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
  const chat_id = conversationId ?? (await begun(workspace, projectId, message, signal));
  const path = { project_id: projectId, chat_id };
  onBegun?.({ conversationId: chat_id });
  const { data: posted } = await workspace.post(
    '/v1/projects/{project_id}/conversations/{chat_id}/messages',
    {
      params: { path },
      body: { message, ...how },
      signal,
    },
  );
  let replyId = posted.messageId ?? undefined;
  const tell = (id: string) => onBegun?.({ conversationId: chat_id, replyId: id });
  if (replyId !== undefined) tell(replyId);
  const show = async (message_id: string) => {
    const at = { params: { path: { ...path, message_id } }, signal };
    return (
      await workspace.get('/v1/projects/{project_id}/conversations/{chat_id}/messages/{message_id}', at)
    ).data;
  };
  const place = { projectId, conversationId: chat_id };
  for await (const event of follow(workspace, place, { after: posted.lastEventId, signal })) {
    // One that waits in the queue has its reply once its turn begins.
    if (replyId === undefined) {
      replyId = await dispatched(workspace, path, posted.queuedMessage!.id);
      if (replyId === undefined) continue;
      tell(replyId);
      if (isOver(await show(replyId))) break;
    }
    if (event.event === 'reset' && isOver(await show(replyId))) break;
    if (!('messageId' in event.data) || event.data.messageId !== replyId) continue;
    onEvent?.(event);
    if (event.event === 'turn.finished') break;
  }
  return { conversationId: chat_id, reply: await show(replyId!) };
}

const isOver = ({ status }: Message) => status !== 'streaming' && status !== 'waiting_approval';

/** The reply to a message of the queue, once there is one. */
async function dispatched(
  workspace: Workspace,
  path: { project_id: string; chat_id: string },
  queued_message_id: string,
): Promise<string | undefined> {
  const { data } = await workspace.get(
    '/v1/projects/{project_id}/conversations/{chat_id}/queue/{queued_message_id}',
    { params: { path: { ...path, queued_message_id } } },
  );
  if (data.state === 'removed' || data.state === 'failed')
    throw new Error(`The question was ${data.state} before it was sent to the analyst.`);
  return data.messageId === '' ? undefined : data.messageId;
}

async function begun(
  workspace: Workspace,
  projectId: string,
  message: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { data } = await workspace.post('/v1/projects/{project_id}/conversations', {
    params: { path: { project_id: projectId } },
    body: { title: message.slice(0, 100) },
    signal,
  });
  return data.id;
}
