import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { Notifications } from '../../../data/postgres/notifications.ts';
import { findConversation } from './conversations.ts';
import { eventsAfter, eventsChannel } from './events.ts';

export interface Following {
  organizationId: string;
  conversationId: string;
  /** The last event that the reader knows; from now on where it knows none. */
  after: number | undefined;
  /** A comment is sent after so long without an event. */
  quietMs: number;
  /** Asked as often as that, also while events come without a pause. */
  mayGoOn(): Promise<boolean>;
  signal: AbortSignal;
}

/** Taken at once: a reader that is slow holds no more than that. */
const eventsAtOnce = 50;

/**
 * The events of a conversation as text of an event stream, for as long as its reader stays. Each is read from
 * the database when the reader takes it: one that is slow, or comes back after days, loses nothing and costs
 * nobody.
 */
export async function* followEvents(
  { db, notifications }: { db: Database; notifications: Notifications },
  { organizationId, conversationId, after, quietMs, mayGoOn, signal }: Following,
): AsyncGenerator<string> {
  const news = createWakeUp(signal);
  const stopListening = notifications.on(eventsChannel, conversationId, news.wake);
  let last = after;
  let askedMs = performance.now();
  try {
    // The headers are on their way before the first event.
    yield ': following\n\n';
    while (!signal.aborted) {
      news.reset();
      const found = await read(db, organizationId, conversationId, last);
      if (found === undefined) return;
      if (performance.now() - askedMs >= quietMs) {
        if (!(await mayGoOn())) return;
        askedMs = performance.now();
      }
      if (found.isGap) yield block(found.last, 'reset', JSON.stringify({ lastEventId: found.last }));
      else if (found.events.length > 0)
        yield found.events.map(({ id, event, data }) => block(id, event, data)).join('');
      last = found.last;
      // What came while these were read has told its news.
      if (found.events.length === eventsAtOnce) continue;
      if (await news.within(quietMs)) continue;
      if (signal.aborted || !(await mayGoOn())) return;
      askedMs = performance.now();
      yield ':\n\n';
    }
  } finally {
    stopListening();
    news.forget();
  }
}

interface Piece {
  events: { id: number; event: string; data: string }[];
  /** What was asked for is not kept any more, or never was. */
  isGap: boolean;
  last: number;
}

/** Undefined where the conversation is no more. */
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
    if (after === undefined) return { events: [], isGap: false, last: newest };
    if (after > newest) return { events: [], isGap: true, last: newest };
    if (after === newest) return { events: [], isGap: false, last: newest };
    const events = await eventsAfter(transaction, organizationId, conversationId, after, eventsAtOnce);
    // Events age by the clocks of their transactions, not by their numbers: one in the midst may be gone
    // first.
    const last = after + events.length;
    if (events.length === 0 || events.at(-1)?.id !== last) return { events: [], isGap: true, last: newest };
    return { events, isGap: false, last };
  });
}

function block(id: number, event: string, data: string): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}

/** Wakes one who waits, and remembers for one who does not wait yet. */
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
    /** A signal that outlives the reader keeps nothing of it. */
    forget: () => signal.removeEventListener('abort', wake),
    /** False when the time was up. */
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
