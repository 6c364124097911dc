import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '../sql.ts';

/** Where an engine's extensions come from. */
export interface ExtensionSource {
  /** Folder of `<name>.duckdb_extension` files; undefined installs them from the engine's own repository. */
  extensionDir: string | undefined;
  /** Where the engine keeps those that it installs. Left out, below a home, which child processes lack. */
  installDir?: string;
  /**
   * True if other processes of the same parent have loaded each of these files with its signature checked.
   * The check takes half a second of processor time, most of the start of an engine.
   */
  areExtensionsChecked?: boolean;
}

/** What engine processes load, in the order in which it must be loaded. */
export const lakeExtensions = ['icu', 'json', 'httpfs', 'postgres_scanner', 'ducklake'] as const;
/** What query processes load. */
export const queryExtensions = ['ducklake', 'postgres_scanner', 'httpfs', 'icu', 'json', 'excel'] as const;

/** Files that an engine has loaded with their signatures checked. */
const checkedFiles = new Set<string>();
const fileOf = (dir: string, name: string) => join(dir, `${name}.duckdb_extension`);

/** The source of these extensions for a process that is started now. */
export function extensionSource(dir: string | undefined, names: readonly string[]): ExtensionSource {
  const areChecked = dir !== undefined && names.every((name) => checkedFiles.has(fileOf(dir, name)));
  return { extensionDir: dir, areExtensionsChecked: areChecked };
}

/** Call it with what a process has loaded from files. */
export function rememberChecked(dir: string | undefined, names: readonly string[]): void {
  if (dir !== undefined) for (const name of names) checkedFiles.add(fileOf(dir, name));
}

/** Options of the engine's instance. */
export function extensionOptions({
  installDir,
  areExtensionsChecked = false,
}: ExtensionSource): Record<string, string> {
  return {
    ...(installDir === undefined ? {} : { extension_directory: installDir, home_directory: installDir }),
    ...(areExtensionsChecked ? { allow_unsigned_extensions: 'true' } : {}),
  };
}

/**
 * Loads official extensions in this order, each from its file if there is one, otherwise from the engine's
 * own repository. Returns those that came from files.
 */
export async function loadExtensions(
  connection: DuckDBConnection,
  { extensionDir, installDir, areExtensionsChecked = false }: ExtensionSource,
  names: readonly string[],
): Promise<string[]> {
  const fromFiles: string[] = [];
  for (const name of names) {
    const file = extensionDir === undefined ? undefined : fileOf(extensionDir, name);
    // An engine that checks no signatures must install nothing.
    if (file !== undefined && (areExtensionsChecked || existsSync(file))) {
      await connection.run(`LOAD ${literal(file)}`);
      fromFiles.push(name);
    } else await install(connection, name, installDir);
  }
  return fromFiles;
}

async function install(
  connection: DuckDBConnection,
  name: string,
  installDir: string | undefined,
): Promise<void> {
  try {
    // The engine installs nothing while the folder that is its home is not there.
    if (installDir !== undefined) await mkdir(installDir, { recursive: true });
    await connection.run(`INSTALL ${name}; LOAD ${name}`);
  } catch (cause) {
    const [first] = (cause as Error).message.split('\n');
    throw new Error(`The engine's extension ${name} can't be installed: ${first}`, { cause });
  }
}
