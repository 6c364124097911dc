import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import type { OrganizationTransaction } from './client.ts';
import { becomeService } from './session.ts';

/** Notifies the listeners of the topic and key, in all processes, when the transaction commits. */
export async function notify(db: OrganizationTransaction, topic: Topic, key: string): Promise<void> {
  await sql`SELECT notify_service(${topic}, ${key})`.execute(db);
}

/**
 * What is told of: the events of a conversation, a reply that is to stop, access that has ended (by
 * organization).
 */
export type Topic = 'conversation_events' | 'reply_stops' | 'access_ended';

/**
 * Receives notifications from other processes over one connection for all listeners. A callback is only a
 * hint to check: after a lost connection all listeners are called, because notifications may have been
 * missed.
 */
export interface Notifications {
  /** Calls `listener` for each notification of the topic and key; returns the function that stops it. */
  on(topic: Topic, key: string, listener: () => void): () => void;
  close(): Promise<void>;
}

export interface NotificationsOptions {
  url: string;
  applicationName: string;
  logger: Pick<Logger, 'warn'>;
}

const firstRetryMs = 100;
const longestRetryMs = 5_000;
/** A query at this interval detects a connection whose other end has vanished silently. */
const askEveryMs = 15_000;

/** Connects on the first `on`. */
export function openNotifications(options: NotificationsOptions): Notifications {
  const listeners = new Map<string, Set<() => void>>();
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  const call = (name: string) => {
    for (const listener of listeners.get(name) ?? []) listener();
  };
  const callAll = () => {
    for (const name of listeners.keys()) call(name);
  };

  async function run(): Promise<void> {
    let retryMs = firstRetryMs;
    while (!closing.signal.aborted) {
      try {
        await listen(options, closing.signal, call, () => {
          retryMs = firstRetryMs;
          callAll();
        });
      } catch (err) {
        options.logger.warn({ err }, 'listening for notifications again');
      }
      await wait(retryMs, undefined, { signal: closing.signal }).catch(() => undefined);
      retryMs = Math.min(longestRetryMs, retryMs * 2);
    }
  }

  return {
    on(topic, key, listener) {
      running ??= run();
      const name = `${topic} ${key}`;
      const known = listeners.get(name) ?? new Set();
      known.add(listener);
      listeners.set(name, known);
      return () => {
        known.delete(listener);
        if (known.size === 0 && listeners.get(name) === known) listeners.delete(name);
      };
    },
    async close() {
      closing.abort();
      listeners.clear();
      await running;
    },
  };
}

/** Listens until the connection ends or `signal` aborts. */
async function listen(
  { url, applicationName }: NotificationsOptions,
  signal: AbortSignal,
  call: (name: string) => void,
  ready: () => void,
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    keepAlive: true,
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const onEnd = () => end();
  client.on('end', onEnd);
  client.on('error', onEnd);
  // Removed below: each connection adds a listener to a signal that outlives it.
  signal.addEventListener('abort', onEnd, { once: true });
  client.on('notification', ({ payload = '' }) => call(payload));
  try {
    await client.connect();
    await becomeService(client);
    // Of this name, which nobody outside of the service can read.
    const { rows } = await client.query<{ name: string }>('SELECT name FROM notification_channel');
    await client.query(`LISTEN ${client.escapeIdentifier(rows[0]!.name)}`);
    ready();
    const asking = setInterval(() => {
      client.query('SELECT 1').catch(() => client.end().catch(() => undefined));
    }, askEveryMs);
    await ended.finally(() => clearInterval(asking));
  } finally {
    signal.removeEventListener('abort', onEnd);
    await client.end().catch(() => undefined);
  }
}
