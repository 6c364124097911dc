import { beforeAll, expect, test } from 'vitest';
import { mergeTable } from '../../../../domain/tables/lake-maintenance/compact.ts';
import { flushTable } from '../../../../domain/tables/lake-maintenance/flush.ts';
import { imported } from '../../../support/lineage.ts';
import { verifying } from '../../../support/verification.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';
import { type Compared, compared, datasets } from './dbt/compared.ts';
import { type Found, fileOf, installDbt, testedByDbt } from './dbt/project.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof verifying>;

beforeAll(async () => {
  client = await workspace.organization();
  on = verifying(client);
});

/** How often each value fails: of a test of null, the keys of the rows. */
type Failing = Record<string, number>;

const keyOf = ({ dataset }: Compared): string => datasets.find(({ name }) => name === dataset)!.key;
const shownColumn = (test: Compared): string => (test.kind === 'not_null' ? keyOf(test) : test.column);

function failingOf(test: Compared, { rows }: Found): Failing {
  const failing: Failing = {};
  for (const row of rows) {
    const value =
      test.kind === 'not_null'
        ? row[keyOf(test)]
        : (row['unique_field'] ?? row['value_field'] ?? row['from_field']);
    failing[value!] = (failing[value!] ?? 0) + Number(row['n_records'] ?? 1);
  }
  return failing;
}

async function keptFailing(test: Compared, tableId: string | null): Promise<Failing> {
  if (tableId === null) return {};
  const { name } = await on.must('GET', `/v1/tables/${tableId}`, 200);
  const value = `CAST("${shownColumn(test)}" AS VARCHAR)`;
  const rows = await on.rows(`SELECT ${value} AS value, count(*) AS n FROM ${name} GROUP BY 1`);
  return Object.fromEntries(rows.map((row) => [row.value, Number(row.n)]));
}

async function defineAll(tables: ReadonlyMap<string, string>): Promise<Map<string, Compared>> {
  const tests = new Map<string, Compared>();
  for (const test of compared) {
    const { dataset, kind, column, values, to } = test;
    const params = {
      ...{ not_null: { columns: [column] }, unique: { columns: [column] } },
      accepted_values: { column, values },
      relationship: {
        columns: [column],
        to_table_id: tables.get(to?.dataset ?? ''),
        to_columns: [to?.column],
      },
    }[kind];
    tests.set(await on.define(tables.get(dataset)!, kind, params, { name: test.name }), test);
  }
  return tests;
}

test('the same tests find what those of dbt find, in the same public data', {
  timeout: 600_000,
}, async ({ skip }) => {
  const dbt = await installDbt().catch((error: Error) => error);
  if (dbt instanceof Error) return skip(`dbt is not installed: ${dbt.message}`);
  const found = await testedByDbt(dbt, datasets, compared);
  expect(Object.keys(found)).toHaveLength(compared.length);

  const tables = new Map<string, string>();
  for (const dataset of datasets) {
    const { path, name: tableName } = dataset;
    const { table } = await imported(client, { path, content: await fileOf(dbt, dataset), tableName });
    tables.set(tableName, table);
  }
  const tests = await defineAll(tables);
  const outcomes = new Map<string, number>();
  for (const table of tables.values()) {
    const { results } = await on.verified({ table_ids: [table] });
    for (const result of results) {
      const one = tests.get(result.definitionId)!;
      const theirs = found[one.name]!;
      const failing = failingOf(one, theirs);
      expect(await keptFailing(one, result.failuresTableId), one.name).toEqual(failing);
      const rows = Object.values(failing).reduce((sum, count) => sum + count, 0);
      expect(result, one.name).toMatchObject({
        status: theirs.status === 'pass' ? 'passed' : 'failed',
        failingRows: rows,
      });
      // A test of values has a row for each value, and its count.
      const isByValue = one.kind === 'unique' || one.kind === 'accepted_values';
      expect(theirs.failures, one.name).toBe(isByValue ? Object.keys(failing).length : rows);
      outcomes.set(result.status, (outcomes.get(result.status) ?? 0) + 1);
    }
  }
  expect(Object.fromEntries(outcomes)).toEqual({ passed: 9, failed: 23 });
});

test('rows count the same whether they are in the catalog or in files, and values that many tests share', async () => {
  const id = await on.data('filed', { n: 'INTEGER', ratio: 'DOUBLE', state: 'STRING' });
  const { lake } = workspace.deps;
  const own = await lake.catalog.get(client.organizationId);
  const table = { organizationId: client.organizationId, id, name: 'filed' };
  const ids = {
    n: await on.define(id, 'not_null', { columns: ['n'] }),
    both: await on.define(id, 'not_null', { columns: ['s_id', 'state'] }),
    known: await on.define(id, 'not_null', { columns: ['s_id'] }),
  };
  const shared: string[] = [];
  for (const at of [0, 1, 2, 3, 4, 5, 6, 7])
    shared.push(await on.define(id, 'expression', { expression: `ratio * 2 >= ${at} OR "N" = ${at}` }));
  const failing = async (version: number) => {
    const run = await on.verified({ table_ids: [id], at_versions: { filed: version } });
    const counts = new Map<string, number>(
      run.results.map((one: { definitionId: string; failingRows: number }) => [
        one.definitionId,
        one.failingRows,
      ]),
    );
    const of = (definition: string) => counts.get(definition);
    return { n: of(ids.n), both: of(ids.both), known: of(ids.known), shared: shared.map(of) };
  };
  const first = await on.append(id, [
    { s_id: 1, n: 1, ratio: 0, state: null },
    { s_id: 2, n: 7, ratio: -0, state: 'open' },
    { s_id: 3, n: 7, ratio: 2.5, state: null },
  ]);
  const before = { n: 0, both: 2, known: 0, shared: [0, 1, 2, 2, 2, 2, 3, 1] };
  expect(await failing(first)).toEqual(before);
  await flushTable(lake, own, table);
  expect(await failing(first)).toEqual(before);
  const second = await on.append(id, [{ s_id: 4, n: null, ratio: null, state: 'shut' }]);
  const after = { n: 1, both: 2, known: 0, shared: before.shared.map((rows) => rows + 1) };
  expect(await failing(second)).toEqual(after);
  await flushTable(lake, own, table);
  await mergeTable(lake, own, table);
  expect(await failing(second)).toEqual(after);
  expect(await failing(first)).toEqual(before);
});

test('a key of a million integers is found to differ, or which of them repeat', async () => {
  const results = async (name: string, query: string) => {
    const id = await on.calc(name, query);
    await on.materialized(id);
    await on.define(id, 'unique', { columns: ['id'] });
    const { results } = await on.verified({ table_ids: [id] });
    return results;
  };
  expect(await results('keys', 'SELECT i AS id FROM range(1000000) AS t(i)')).toMatchObject([
    { status: 'passed', failingRows: 0 },
  ]);
  expect(await results('no_keys', 'SELECT least(i, 999998) AS id FROM range(1000000) AS t(i)')).toMatchObject(
    [{ status: 'failed', failingRows: 2, sample: [{ id: 999_998 }, { id: 999_998 }] }],
  );
});
