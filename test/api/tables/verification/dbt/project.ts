import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostEnvironment } from '../../../../../local/host-environment.ts';
import { pythonVersion } from '../../../../../local/python.ts';
import { installWheels } from '../../../../../local/wheels.ts';
import { run } from '../../../../generators/install.ts';
import type { Compared, Dataset } from './compared.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** What a test of dbt found; `failures` is the number of its rows. */
export interface Found {
  status: string;
  failures: number;
  rows: Record<string, string | null>[];
}

/** The folder of dbt and of the data. @throws where they cannot be installed */
export function installDbt(): Promise<string> {
  const what = 'dbt and the data that is tested';
  return installWheels({
    environment: hostEnvironment(),
    report: (line) => process.stderr.write(`${line}\n`),
    wheels: {
      requirements: here('requirements.txt'),
      prefix: 'dbt-',
      what,
      size: 'about 45 MB',
      of: pythonVersion(what),
    },
  });
}

/** The content of a file of the data. */
export const fileOf = (installed: string, { path }: Dataset): Promise<string> =>
  readFile(join(installed, 'vega_datasets', '_data', path), 'utf8');

/** What dbt's own tests find, by name. */
export async function testedByDbt(
  installed: string,
  datasets: readonly Dataset[],
  tests: readonly Compared[],
): Promise<Record<string, Found>> {
  const folder = await mkdtemp(join(tmpdir(), 'dbt-'));
  try {
    await mkdir(join(folder, 'models'));
    for (const { name, path } of datasets) {
      await cp(join(installed, 'vega_datasets', '_data', path), join(folder, path));
      const reader = path.endsWith('.json') ? 'read_json' : 'read_csv';
      await writeFile(join(folder, 'models', `${name}.sql`), `SELECT * FROM ${reader}('${path}')`);
    }
    // JSON is YAML.
    for (const [name, content] of Object.entries(projectOf(datasets, tests)))
      await writeFile(join(folder, name), JSON.stringify(content));
    const { code, output } = await run('python3', [here('build.py'), 'found.json'], {
      ...{ cwd: folder, path: installed },
    });
    if (code !== 0) throw new Error(`dbt cannot build the project:\n${output}`);
    return JSON.parse(await readFile(join(folder, 'found.json'), 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function projectOf(datasets: readonly Dataset[], tests: readonly Compared[]): Record<string, object> {
  const models = datasets.map(({ name }) => ({
    name,
    columns: tests
      .filter(({ dataset }) => dataset === name)
      .map((test) => ({ name: test.column, data_tests: [genericTest(test)] })),
  }));
  return {
    'dbt_project.yml': {
      ...{ name: 'compared', version: '1.0', profile: 'compared', 'model-paths': ['models'] },
      models: { '+materialized': 'table' },
      data_tests: { '+store_failures': true },
    },
    'profiles.yml': {
      compared: {
        target: 'here',
        outputs: { here: { type: 'duckdb', path: 'compared.duckdb', threads: 1 } },
      },
    },
    'models/tests.yml': { models },
  };
}

function genericTest({ name, kind, ...test }: Compared): object {
  switch (kind) {
    case 'accepted_values':
      return { accepted_values: { name, arguments: { values: test.values } } };
    case 'relationship':
      return {
        relationships: { name, arguments: { to: `ref('${test.to!.dataset}')`, field: test.to!.column } },
      };
    default:
      return { [kind]: { name } };
  }
}
