import { type Acting, actingAs } from '../../../data/postgres/acting.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { Notifications } from '../../../data/postgres/notifications.ts';
import { findConversation } from './conversations.ts';
import { eventsAfter } from './events.ts';
import { withoutWithheld } from './withheld.ts';

export interface Following {
  organizationId: string;
  conversationId: string;
  /** The last event the reader has; if undefined, only new events are sent. */
  after: number | undefined;
  /** Who reads, which decides what is withheld. */
  reader: Acting;
  /** A comment is sent after this long without an event. */
  quietMs: number;
  /**
   * Checked at the same interval, even while events arrive continuously, and when access of somebody has
   * ended.
   */
  mayGoOn(): Promise<boolean>;
  signal: AbortSignal;
}

/** Number of events read at once, and so the most that a slow reader holds in memory. */
const eventsAtOnce = 50;

/**
 * The events of a conversation as an event stream, for as long as its reader stays connected. Each is read
 * from the database when the reader takes it, so a reader that is slow, or returns after days, loses nothing
 * and takes up no memory.
 */
export async function* followEvents(
  { db, notifications }: { db: Database; notifications: Notifications },
  { organizationId, conversationId, after, reader, quietMs, mayGoOn, signal }: Following,
): AsyncGenerator<string> {
  const news = createWakeUp(signal);
  const stopListening = notifications.on('conversation_events', conversationId, news.wake);
  let isToAsk = false;
  const stopWatching = notifications.on('access_ended', organizationId, () => {
    isToAsk = true;
    news.wake();
  });
  let last = after;
  let askedMs = performance.now();
  try {
    // Sends the headers before the first event.
    yield ': following\n\n';
    while (!signal.aborted) {
      news.reset();
      const since = last;
      const found = await actingAs(reader, () => read(db, organizationId, conversationId, since));
      if (found === undefined) return;
      if (isToAsk || performance.now() - askedMs >= quietMs) {
        isToAsk = false;
        if (!(await mayGoOn())) return;
        askedMs = performance.now();
      }
      if (found.isGap) yield block(found.last, 'reset', JSON.stringify({ lastEventId: found.last }));
      else if (found.events.length > 0)
        yield found.events.map(({ id, event, data }) => block(id, event, data)).join('');
      last = found.last;
      // Events that arrived during the read have already sent their notification.
      if (found.isFull) continue;
      if (await news.within(quietMs)) continue;
      if (signal.aborted || !(await mayGoOn())) return;
      askedMs = performance.now();
      yield ':\n\n';
    }
  } finally {
    stopListening();
    stopWatching();
    news.forget();
  }
}

interface Piece {
  events: { id: number; event: string; data: string }[];
  /** The requested events are no longer kept, or never existed. */
  isGap: boolean;
  last: number;
  /** More may follow at once. */
  isFull: boolean;
}

/** Undefined if the conversation does not exist any more. */
function read(
  db: Database,
  organizationId: string,
  conversationId: string,
  after: number | undefined,
): Promise<Piece | undefined> {
  return inOrganization(db, organizationId, async (transaction) => {
    const conversation = await findConversation(transaction, organizationId, conversationId);
    if (conversation === undefined || conversation.deleted_at !== null) return undefined;
    const newest = conversation.last_event_id;
    const none = { events: [], last: newest, isFull: false };
    if (after === undefined) return { ...none, isGap: false };
    if (after > newest) return { ...none, isGap: true };
    if (after === newest) return { ...none, isGap: false };
    const events = await eventsAfter(transaction, organizationId, conversationId, after, eventsAtOnce);
    // Events expire by their transactions' clocks, not by their numbers, so one in the middle may be deleted
    // first.
    const last = after + events.length;
    if (events.length === 0 || events.at(-1)?.id !== last) return { ...none, isGap: true };
    const isFull = events.length === eventsAtOnce;
    return { events: await withoutWithheld(transaction, organizationId, events), isGap: false, last, isFull };
  });
}

function block(id: number, event: string, data: string): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}

/** Wakes a waiting reader, or remembers the wake-up for one that is not waiting yet. */
function createWakeUp(signal: AbortSignal) {
  let isAwake = false;
  let resume: (() => void) | undefined;
  const wake = () => {
    isAwake = true;
    resume?.();
  };
  signal.addEventListener('abort', wake, { once: true });
  return {
    wake,
    reset() {
      isAwake = false;
    },
    /** Removes the listener from a signal that outlives the reader. */
    forget: () => signal.removeEventListener('abort', wake),
    /** False on timeout. */
    async within(ms: number): Promise<boolean> {
      if (isAwake) return true;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        resume = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      resume = undefined;
      return isAwake;
    },
  };
}
