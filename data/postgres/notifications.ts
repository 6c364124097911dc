import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import type { OrganizationTransaction } from './client.ts';

/** Notifies the listeners of the key, in all processes, when the transaction commits. */
export async function notify(db: OrganizationTransaction, channel: string, key: string): Promise<void> {
  await sql`SELECT pg_notify(${channel}, ${key})`.execute(db);
}

/**
 * Receives notifications from other processes over one connection for all listeners. A callback is only a
 * hint to check: after a lost connection all listeners are called, because notifications may have been
 * missed.
 */
export interface Notifications {
  /** Calls `listener` for each notification of the key; returns the function that stops it. */
  on(channel: string, key: string, listener: () => void): () => void;
  close(): Promise<void>;
}

export interface NotificationsOptions {
  url: string;
  applicationName: string;
  channels: readonly string[];
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
        options.logger.warn({ err }, 'notifications are listened for again');
      }
      await wait(retryMs, undefined, { signal: closing.signal }).catch(() => undefined);
      retryMs = Math.min(longestRetryMs, retryMs * 2);
    }
  }

  return {
    on(channel, key, listener) {
      running ??= run();
      const name = `${channel} ${key}`;
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
  { url, applicationName, channels }: NotificationsOptions,
  signal: AbortSignal,
  call: (name: string) => void,
  ready: () => void,
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    options: '-c role=workspace_service',
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
  client.on('notification', ({ channel, payload }) => call(`${channel} ${payload}`));
  try {
    await client.connect();
    for (const channel of channels) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
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
