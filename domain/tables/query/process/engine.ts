import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { attachStatements, objectStoreSecret, readOnly } from '../../../../data/lake/attach.ts';
import {
  extensionOptions,
  loadExtensions,
  queryExtensions,
} from '../../../../data/lake/engine/extensions.ts';
import type { LakeLocation } from '../../../../data/lake/location.ts';
import { literal } from '../../../../data/lake/sql.ts';
import { type CheckedStatement, createParser, type Parser } from '../../../../packages/sql-guard/index.ts';
import type { ProcessSettings } from './messages.ts';

/** One DuckDB instance: first blank, then attached to one organization's lake and locked permanently. */
export interface Engine {
  /** The extensions that were loaded from files of the configured folder. */
  extensionsFromFiles: readonly string[];
  connection: DuckDBConnection;
  parser: Parser;
  /** What was found of statements of its organization, by all that it depends on. */
  checked: Map<string, CheckedStatement>;
  /** Which lake it is attached to; undefined while blank. */
  attachedTo: string | undefined;
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
    ending: Promise.resolve(),
    isLost: false,
    close,
  };
}

/** Locations with the same key can share an engine: same organization, same credentials. */
export function locationKey(location: LakeLocation): string {
  return JSON.stringify([location.organizationId, location.dataPath, location.catalog]);
}

/**
 * Attaches the lake and locks the engine. Addresses are kept in secrets, so that no function can print a
 * connection string; the only paths left accessible are the organization's own. From here on no setting can
 * change, so an engine never changes its organization.
 */
export async function attachLake(
  engine: Engine,
  settings: ProcessSettings,
  location: LakeLocation,
): Promise<void> {
  const { dataPath } = location;
  const statements = [
    objectStoreSecret('object_store', settings.objectStore, location.dataPath),
    ...attachStatements(location, 'lake', readOnly),
    `SET TimeZone = 'UTC'`,
    // The catalog's tables are small: splitting a read over several connections would only cost round trips.
    `SET GLOBAL pg_use_ctid_scan = false`,
    `SET temp_directory = ${literal(settings.tempDir)}`,
    `SET max_temp_directory_size = '${settings.tempLimitBytes}B'`,
    `SET allowed_directories = [${literal(dataPath)}]`,
    `SET enable_external_access = false`,
    `SET lock_configuration = true`,
  ];
  for (const statement of statements) await engine.connection.run(statement);
  engine.attachedTo = locationKey(location);
}
