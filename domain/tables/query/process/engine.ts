import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { attachStatements, objectStoreSecret, readOnly } from '../../../../data/lake/attach.ts';
import {
  extensionOptions,
  loadExtensions,
  queryExtensions,
} from '../../../../data/lake/engine/extensions.ts';
import { literal } from '../../../../data/lake/sql.ts';
import { type CheckedStatement, createParser, type Parser } from '../../../../packages/sql-guard/index.ts';
import type { ReadingLocation } from '../request.ts';
import type { ProcessSettings } from './messages.ts';

/** One DuckDB instance: first blank, then attached to one organization's lake and locked permanently. */
export interface Engine {
  /** The extensions that were loaded from files of the configured folder. */
  extensionsFromFiles: readonly string[];
  connection: DuckDBConnection;
  parser: Parser;
  /** What was found of statements of its organization, by all that it depends on. */
  checked: Map<string, CheckedStatement>;
  /** Whose data it may read; undefined while blank. */
  attachedTo: Attachment | undefined;
  /** Keys of the plain tables that it has views of. */
  plain: Set<string>;
  /**
   * The end of the last statement's transaction if that failed. The next statement waits for it; the answer
   * does not.
   */
  ending: Promise<void>;
  /**
   * Whether that transaction could not be ended: the catalog connection was lost, and the engine's knowledge
   * of the lake may be wrong.
   */
  isLost: boolean;
  close(): void;
}

/** Everything that does not depend on the organization, so that a waiting process has already done it. */
export async function openBlankEngine(settings: ProcessSettings): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(settings.threads),
    memory_limit: `${settings.memoryLimitBytes}B`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_persistent_secrets: 'false',
    allow_community_extensions: 'false',
    // The lake's files never change under their names, so cached contents need no revalidation.
    validate_external_file_cache: 'NO_VALIDATION',
    enable_http_metadata_cache: 'true',
    ...extensionOptions(settings),
  });
  const connection = await instance.connect();
  const extensionsFromFiles = await loadExtensions(connection, settings, queryExtensions);
  const parsing = await instance.connect();
  const parser = await createParser(parsing);
  const close = () => {
    parsing.closeSync();
    connection.closeSync();
    instance.closeSync();
  };
  return {
    extensionsFromFiles,
    connection,
    parser,
    checked: new Map(),
    attachedTo: undefined,
    plain: new Set(),
    ending: Promise.resolve(),
    isLost: false,
    close,
  };
}

/** What an engine was opened for; it never changes. */
interface Attachment {
  /** The organization, and where its files are. */
  data: string;
  /** The catalog with its credentials; undefined if it has none. */
  catalog: string | undefined;
}

function attachmentFor({ organizationId, dataPath, catalog }: ReadingLocation): Attachment {
  return {
    data: JSON.stringify([organizationId, dataPath]),
    catalog: catalog === undefined ? undefined : JSON.stringify(catalog),
  };
}

/** Whether the engine can read there: the same data, and the same catalog if one is needed. */
export function isAttachedTo({ attachedTo }: Engine, location: ReadingLocation): boolean {
  const { data, catalog } = attachmentFor(location);
  return attachedTo?.data === data && (catalog === undefined || attachedTo.catalog === catalog);
}

/**
 * Attaches the lake, unless only files are read, and locks the engine. Addresses are kept in secrets, so that
 * no function can print a connection string; the only paths left accessible are the organization's own. From
 * here on no setting can change, so an engine never changes its organization.
 */
export async function attachLake(
  engine: Engine,
  settings: ProcessSettings,
  location: ReadingLocation,
): Promise<void> {
  const { dataPath, catalog } = location;
  const statements = [
    objectStoreSecret('object_store', settings.objectStore, location.dataPath),
    // Columns may be written with the lake's name, whether or not it is needed.
    ...(catalog === undefined
      ? [`ATTACH ':memory:' AS lake`]
      : attachStatements({ catalog, dataPath }, 'lake', readOnly)),
    `SET TimeZone = 'UTC'`,
    `SET parquet_metadata_cache = true`,
    // The catalog's tables are small: splitting a read over several connections would only cost round trips.
    `SET GLOBAL pg_use_ctid_scan = false`,
    `SET temp_directory = ${literal(settings.tempDir)}`,
    `SET max_temp_directory_size = '${settings.tempLimitBytes}B'`,
    `SET allowed_directories = [${literal(dataPath)}]`,
    `SET enable_external_access = false`,
    `SET lock_configuration = true`,
  ];
  for (const statement of statements) await engine.connection.run(statement);
  engine.attachedTo = attachmentFor(location);
}
