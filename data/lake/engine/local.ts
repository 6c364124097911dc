import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { attachStatements, objectStoreSecret } from '../attach.ts';
import { commitRetries } from '../ducklake/commit-retries.ts';
import type { LakeLocation } from '../location.ts';
import { identifier } from '../sql.ts';
import { extensionOptions, lakeExtensions, loadExtensions } from './extensions.ts';
import type { EngineProcessSettings } from './process/messages.ts';

/** Commits of at most this many rows are stored in the catalog itself; larger ones become Parquet files. */
export const inliningRowLimit = 1_000;

/** Spill limit of one job; a file or table that needs more is too large for this machine. */
const maxSpill = '32GB';
/**
 * Maximum number of attached lakes; beyond it the least recently used one is detached. Each keeps sessions of
 * PostgreSQL, which has far fewer than there may be lakes.
 */
const maxAttached = 8;
/** For this long a session is kept for the next statement. */
const idleSessionMs = 10_000;

/** A connection owned by one caller until it is closed. */
export interface OpenConnection {
  connection: DuckDBConnection;
  /** A clean connection is reused; any other may have an open transaction. */
  close(isClean: boolean): void;
}

/** The engine of an engine process: writes lakes and reads files, for one caller at a time. */
export interface LocalEngine {
  /** The extensions that were loaded from files of the configured folder. */
  readonly extensionsFromFiles: readonly string[];
  /** A connection whose default catalog is the lake, or one without any. */
  open(location: LakeLocation | undefined): Promise<OpenConnection>;
  scratch<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  close(): void;
}

interface Attachment {
  idle: DuckDBConnection[];
}

export async function createLocalEngine(settings: EngineProcessSettings): Promise<LocalEngine> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${Math.floor(settings.memoryLimitBytes / 1_000_000)}MB`,
    threads: String(settings.threads),
    temp_directory: `${settings.workDir}/spill`,
    max_temp_directory_size: maxSpill,
    preserve_insertion_order: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    ...extensionOptions(settings),
  });
  const root = await instance.connect();
  const extensionsFromFiles = await loadExtensions(root, settings, lakeExtensions);
  await root.run("SET TimeZone = 'UTC'");
  // The catalog's tables are small: splitting a read over several connections would only cost round trips.
  await root.run('SET GLOBAL pg_use_ctid_scan = false');
  await root.run('SET GLOBAL pg_pool_max_connections = 2');
  await root.run(`SET GLOBAL pg_pool_idle_timeout_millis = ${idleSessionMs}`);
  for (const statement of commitRetries) await root.run(statement);
  await root.run(
    objectStoreSecret('object_store', settings.objectStore, `s3://${settings.objectStore.bucket}/`),
  );
  /** In order of use, least recently used first. */
  const attachments = new Map<string, Attachment>();

  async function attach(alias: string, location: LakeLocation): Promise<Attachment> {
    const known = attachments.get(alias);
    attachments.delete(alias);
    const attachment = known ?? { idle: [] };
    if (known === undefined) {
      const [oldest] = attachments.size < maxAttached ? [] : attachments;
      if (oldest !== undefined) await detach(...oldest);
      await root.run(`DETACH DATABASE IF EXISTS ${identifier(alias)}`);
      const options = `DATA_INLINING_ROW_LIMIT ${inliningRowLimit}`;
      for (const statement of attachStatements(location, alias, options)) await root.run(statement);
    }
    attachments.set(alias, attachment);
    return attachment;
  }

  async function detach(alias: string, attachment: Attachment): Promise<void> {
    attachments.delete(alias);
    for (const connection of attachment.idle) connection.closeSync();
    await root.run(`DETACH ${identifier(alias)}`).catch(() => undefined);
  }

  return {
    extensionsFromFiles,
    async open(location) {
      if (location === undefined) {
        const connection = await instance.connect();
        return { connection, close: () => connection.closeSync() };
      }
      const alias = location.catalog.schema;
      const attachment = await attach(alias, location);
      const connection = attachment.idle.pop() ?? (await connectTo(instance, alias));
      return {
        connection,
        close: (isClean) => {
          if (isClean) attachment.idle.push(connection);
          else connection.closeSync();
        },
      };
    },
    async scratch(work) {
      const connection = await instance.connect();
      try {
        return await work(connection);
      } finally {
        connection.closeSync();
      }
    },
    close() {
      for (const { idle } of attachments.values()) for (const connection of idle) connection.closeSync();
      root.closeSync();
      instance.closeSync();
    },
  };
}

async function connectTo(instance: DuckDBInstance, alias: string): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(`USE ${identifier(alias)}`);
  await connection.run("SET TimeZone = 'UTC'");
  return connection;
}
