import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { ObjectStoreSettings } from '../objects/settings.ts';
import type { LakeLocation } from './location.ts';
import { identifier, literal } from './sql.ts';

/** The extensions a lake needs, in the order in which they must be loaded. */
export const lakeExtensions = ['icu', 'json', 'httpfs', 'postgres_scanner', 'ducklake'] as const;

/** Commits of at most this many rows go into the catalog itself; larger ones become Parquet files. */
export const inliningRowLimit = 1_000;

export interface EngineOptions {
  /** Folder of `<name>.duckdb_extension` files; undefined installs them from DuckDB's own repository. */
  extensionDir: string | undefined;
  objectStore: ObjectStoreSettings;
  workDir: string;
  memoryLimitBytes: number;
  threads: number;
  /** Attached lakes kept at once; the least recently used one without a user is detached beyond it. */
  maxAttached: number;
  /**
   * Called once, when an internal error has made the engine unusable for good. Every use of it fails from then
   * on, so the process has to end and be started anew.
   */
  onBroken?: (error: unknown) => void;
}

/**
 * The trusted engine of a process: writes every organization's lake, and reads it for the service itself.
 * SQL of users never runs here.
 */
export interface LakeEngine {
  /** A connection whose default catalog is the organization's lake; it is closed when `work` ends. */
  use<T>(location: LakeLocation, work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** A connection without any lake, for files. */
  scratch<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  close(): void;
}

/** Read from the front: what follows may quote a user's values. */
const passing = [
  /^(IO|HTTP|Connection|FATAL|INTERNAL|TransactionContext) Error/,
  /^Invalid Input Error: Attempting to \w+ [\w ]+\nError: (IO|HTTP|Connection|FATAL|INTERNAL|TransactionContext) Error/,
  /^Invalid Error: Failed to /,
  /^[\w ]+ Error: Failed to [a-z ]*DuckLake/,
];

/**
 * Whether a statement failed on its way to the catalog, the object store or within the engine itself, so that it may
 * succeed later as it stands.
 */
export function isPassingFailure(error: unknown): boolean {
  return error instanceof Error && passing.some((pattern) => pattern.test(error.message));
}

interface Attachment {
  ready: Promise<void>;
  users: number;
  idle: DuckDBConnection[];
}

export async function loadExtensions(
  connection: DuckDBConnection,
  extensionDir: string | undefined,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    if (extensionDir === undefined) await connection.run(`INSTALL ${name}`);
    await connection.run(
      extensionDir === undefined
        ? `LOAD ${name}`
        : `LOAD ${literal(`${extensionDir}/${name}.duckdb_extension`)}`,
    );
  }
}

/** The statement that lets an engine reach the bucket. */
export function objectStoreSecret(name: string, settings: ObjectStoreSettings): string {
  const endpoint = settings.endpoint === undefined ? undefined : new URL(settings.endpoint);
  const address =
    endpoint === undefined
      ? ''
      : `, ENDPOINT ${literal(endpoint.host)}, USE_SSL ${endpoint.protocol === 'https:'}, URL_STYLE 'path'`;
  return `CREATE OR REPLACE SECRET ${identifier(name)} (TYPE s3, KEY_ID ${literal(settings.accessKeyId)}, SECRET ${literal(
    settings.secretAccessKey,
  )}, REGION ${literal(settings.region)}${address}, SCOPE ${literal(`s3://${settings.bucket}/`)})`;
}

/** The statements that attach a lake through secrets, so that no connection string can ever be printed. */
export function attachStatements(location: LakeLocation, alias: string, options: string): string[] {
  const { catalog } = location;
  const postgresSecret = `${alias}_catalog`;
  return [
    `CREATE OR REPLACE SECRET ${identifier(postgresSecret)} (TYPE postgres, HOST ${literal(catalog.host)}, PORT ${catalog.port}, DATABASE ${literal(
      catalog.database,
    )}, USER ${literal(catalog.user)}, PASSWORD ${literal(catalog.password)})`,
    `CREATE OR REPLACE SECRET ${identifier(alias)} (TYPE ducklake, METADATA_PATH '', DATA_PATH ${literal(
      location.dataPath,
    )}, METADATA_SCHEMA ${literal(catalog.schema)}, METADATA_PARAMETERS MAP {'TYPE': 'postgres', 'SECRET': ${literal(postgresSecret)}})`,
    `ATTACH ${literal(`ducklake:${alias}`)} AS ${identifier(alias)} (${options})`,
  ];
}

export async function createLakeEngine(options: EngineOptions): Promise<LakeEngine> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${Math.floor(options.memoryLimitBytes / 1_000_000)}MB`,
    threads: String(options.threads),
    temp_directory: `${options.workDir}/engine-${process.pid}`,
    preserve_insertion_order: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const root = await instance.connect();
  await loadExtensions(root, options.extensionDir, lakeExtensions);
  await root.run("SET TimeZone = 'UTC'");
  // The catalog's tables are small: splitting a read of one over several connections only costs round trips.
  await root.run('SET GLOBAL pg_use_ctid_scan = false');
  await root.run(objectStoreSecret('object_store', options.objectStore));
  const attachments = new Map<string, Attachment>();
  let isBroken = false;

  /** DuckDB goes on after every other error; after one of these it may answer nothing any more. */
  async function noticeBreak(error: unknown): Promise<void> {
    if (isBroken || !(error instanceof Error) || !/(INTERNAL|FATAL) Error/.test(error.message)) return;
    const canGoOn = await root.run('SELECT 1').then(
      () => true,
      () => false,
    );
    if (canGoOn || isBroken) return;
    isBroken = true;
    options.onBroken?.(error);
  }

  async function detachIdle(): Promise<void> {
    for (const [alias, attachment] of attachments) {
      if (attachments.size <= options.maxAttached) return;
      if (attachment.users > 0) continue;
      attachments.delete(alias);
      for (const connection of attachment.idle) connection.closeSync();
      await root.run(`DETACH ${identifier(alias)}`).catch(() => undefined);
    }
  }

  function attach(alias: string, location: LakeLocation): Attachment {
    const known = attachments.get(alias);
    if (known !== undefined) {
      // Map order is order of use: the first entry is the least recently used one.
      attachments.delete(alias);
      attachments.set(alias, known);
      return known;
    }
    const ready = (async () => {
      await root.run(`DETACH DATABASE IF EXISTS ${identifier(alias)}`);
      for (const statement of attachStatements(
        location,
        alias,
        `DATA_INLINING_ROW_LIMIT ${inliningRowLimit}`,
      )) {
        await root.run(statement);
      }
    })();
    const attachment: Attachment = { ready, users: 0, idle: [] };
    attachments.set(alias, attachment);
    ready.catch(() => attachments.delete(alias));
    return attachment;
  }

  return {
    async use(location, work) {
      const alias = location.catalog.schema;
      const attachment = attach(alias, location);
      attachment.users += 1;
      try {
        await attachment.ready;
        const connection = attachment.idle.pop() ?? (await connectTo(instance, alias));
        try {
          const result = await work(connection);
          attachment.idle.push(connection);
          return result;
        } catch (error) {
          // A connection that failed may hold an open transaction: it is not used again.
          connection.closeSync();
          throw error;
        }
      } catch (error) {
        await noticeBreak(error);
        throw error;
      } finally {
        attachment.users -= 1;
        if (attachments.size > options.maxAttached) await detachIdle();
      }
    },
    async scratch(work) {
      const connection = await instance.connect();
      try {
        return await work(connection);
      } catch (error) {
        await noticeBreak(error);
        throw error;
      } finally {
        connection.closeSync();
      }
    },
    close() {
      for (const attachment of attachments.values())
        for (const connection of attachment.idle) connection.closeSync();
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
