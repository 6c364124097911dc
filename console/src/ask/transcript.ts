import type {
  ConversationEvent,
  components,
  Message,
  MessagePart,
} from '../../../clients/typescript/src/index.ts';

type Shown = components['schemas']['ShownConversation'];
export type Queued = components['schemas']['QueuedMessage'];

/** A conversation as it is now: what was read, and the events after it. */
export interface Transcript {
  title: string;
  /** Oldest first. Parts that were retracted are missing. */
  messages: readonly Message[];
  /** Leads to messages before these. */
  olderCursor: string | null;
  queue: readonly Queued[];
  isHeld: boolean;
  lastEventId: number;
}

export const transcriptOf = (shown: Shown): Transcript => ({
  title: shown.title,
  messages: shown.messages,
  olderCursor: shown.messagesCursor,
  queue: shown.queuedTurns,
  isHeld: shown.queueHeld,
  lastEventId: shown.lastEventId,
});

/** The reply that is being written, if one is. */
export const replyUnderWay = ({ messages }: Transcript): Message | undefined =>
  messages.findLast(({ status }) => status === 'streaming' || status === 'waiting_approval');

/** What a message says, without what was done for it. */
export const textOf = ({ parts }: Message): string =>
  Object.values(parts)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n');

/** Applies an event as `docs/conversations.md` says. One that was applied before changes nothing. */
export function apply(before: Transcript, event: ConversationEvent): Transcript {
  if (event.id <= before.lastEventId) return before;
  const now = { ...before, lastEventId: event.id };
  const inMessage = (id: string, change: (message: Message) => Message): Transcript => ({
    ...now,
    messages: now.messages.map((message) => (message.id === id ? change(message) : message)),
  });
  const inParts = (id: string, change: (parts: MessagePart[]) => void): Transcript =>
    inMessage(id, (message) => {
      // A copy that keeps the holes of parts that were retracted.
      const parts = message.parts.slice();
      change(parts);
      const waits = parts.some((part) => part?.type === 'tool_call' && part.status === 'waiting_approval');
      return { ...message, parts, status: waits ? 'waiting_approval' : 'streaming' };
    });
  switch (event.event) {
    case 'message.created': {
      const { message } = event.data;
      if (now.messages.some(({ id }) => id === message.id)) return now;
      return { ...now, messages: [...now.messages, message] };
    }
    case 'text.delta': {
      const { messageId, partIndex, text } = event.data;
      return inParts(messageId, (parts) => {
        const part = parts[partIndex];
        parts[partIndex] = { type: 'text', text: (part?.type === 'text' ? part.text : '') + text };
      });
    }
    case 'tool.started':
    case 'tool.finished':
    case 'chart.created':
    case 'report.created':
    case 'approval.requested': {
      const { messageId, partIndex, part } = event.data as {
        messageId: string;
        partIndex: number;
        part: MessagePart;
      };
      return inParts(messageId, (parts) => {
        parts[partIndex] = part;
      });
    }
    case 'part.retracted':
      return inParts(event.data.messageId, (parts) => {
        delete parts[event.data.partIndex];
      });
    case 'turn.finished': {
      const { messageId, status, error, usage, completedAt } = event.data;
      return inMessage(messageId, (message) => ({ ...message, status, error, usage, completedAt }));
    }
    case 'queue.changed': {
      const queued = event.data.queuedMessage as Queued | null;
      const others = now.queue.filter(({ id }) => id !== queued?.id);
      const queue = queued?.state === 'queued' ? [...others, queued] : others;
      return {
        ...now,
        isHeld: event.data.queueHeld,
        queue: queue.sort((a, b) => a.position - b.position),
      };
    }
    default:
      return now;
  }
}
