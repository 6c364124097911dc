import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../../data/ids.ts';
import { runTogether } from '../../../../domain/tables/query/run.ts';
import { shaping } from '../../../support/calculated.ts';
import { useWorker } from '../../../support/worker.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';
import { readBothWays } from './plain-reads.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

beforeAll(async () => {
  const on = shaping(client);
  await on.append(await on.data('placed', { city: 'STRING' }), [{ s_id: 1, city: 'Bonn' }]);
});

test('a table reads the same by its files and through the lake, whatever was done to it', async () => {
  const { plain, compared } = await readBothWays(workspace, client, {
    seed: 20_261_129,
    steps: 60,
    name: 't',
  });
  // Otherwise little was compared.
  expect(plain).toBeGreaterThan(compared / 3);
});

test('an EXPLAIN says how each table is read; tables are read at one snapshot, by their files or not', async () => {
  const on = shaping(client);
  const plain = await on.data('plain_one', { city: 'STRING' });
  await on.append(plain, [{ s_id: 1, city: 'Bonn' }]);
  const many = await on.data('many', { n: 'INTEGER' });
  for (const from of [1, 701])
    await on.append(
      many,
      Array.from({ length: 700 }, (_, index) => ({ s_id: from + index, n: index })),
    );
  const both = 'SELECT p.city, count(*) AS n FROM plain_one p JOIN many m ON m.n >= p.s_id GROUP BY p.city';
  expect(await on.rows(both)).toEqual([{ city: 'Bonn', n: 1_398 }]);
  const [plan, tables] = await on.rows(`EXPLAIN ${both}`);
  expect(plan.explainKey).toBe('physical_plan');
  expect(tables).toEqual({
    explainKey: 'tables',
    explainValue:
      'plain_one: read from 0 files and 1 row of the catalog\nmany: read through the lake, because it has many or large rows, or rows of a rare type, that are in no file yet',
  });
});

test('rows that are too large to carry are read through the lake', async () => {
  const on = shaping(client);
  const id = await on.data('large', { text: 'STRING' });
  await on.append(
    id,
    Array.from({ length: 20 }, (_, index) => ({ s_id: index, text: 'x'.repeat(100_000) })),
  );
  expect(await on.rows('SELECT sum(length(text)) AS n FROM large')).toEqual([{ n: 2_000_000 }]);
  const [, tables] = await on.rows('EXPLAIN SELECT sum(length(text)) AS n FROM large');
  expect(tables.explainValue).toContain('large: read through the lake');
});

test.each([
  ['SELECT lake.main.placed.city FROM lake.main.placed', 'Bonn'],
  ['SELECT main.placed.city FROM main.placed', 'Bonn'],
  ["SELECT (SELECT main.placed.city FROM (SELECT 'inner' AS city) placed) AS city FROM main.placed", 'Bonn'],
  ['SELECT "Placed".city FROM "PLACED" TABLESAMPLE 100%', 'Bonn'],
  ['SELECT city FROM (FROM placed) UNION SELECT city FROM placed', 'Bonn'],
  ['WITH placed AS (SELECT city FROM placed) SELECT city FROM placed', 'Bonn'],
])('names mean the same: %s', async (sql, city) => {
  expect(await shaping(client).rows(sql)).toEqual([{ city }]);
});

test('a column that does not exist is told as by the lake', async () => {
  const { body } = await client.call('POST', '/v1/query-executions', {
    body: { sql: 'SELECT town FROM placed' },
  });
  expect(body.code).toBe('query_failed');
  expect(body.detail).toContain('Candidate bindings: "city"');
});

test('statements that are run together read one snapshot, whichever way each goes, while rows are appended', async () => {
  const on = shaping(client);
  const id = await on.data('growing', { n: 'INTEGER' });
  let isOver = false;
  const appends = (async () => {
    for (let row = 1; !isOver; row += 1) await on.append(id, [{ s_id: row, n: row }]);
  })();
  const query = (sql: string) => ({
    ...{ organizationId: client.organizationId, callerId: client.clientId, id: newId('qry'), sql, limit: 10 },
    ...{ timeoutMs: 30_000, rowFormat: 'rows' as const, atVersions: {} },
  });
  let compared = 0;
  for (let round = 0; compared < 20 && round < 200; round += 1) {
    const { snapshotId, results } = await runTogether(
      workspace.deps,
      [
        query('SELECT count(*) AS n FROM growing'),
        // Only DuckLake has the column that this text names.
        query("SELECT count(*) AS n FROM growing WHERE 'filename' <> ''"),
        query(`SELECT max(n) AS n FROM growing WHERE ${round} >= 0`),
        query('SELECT nothing FROM growing'),
      ],
      AbortSignal.timeout(60_000),
    );
    const [plain, lake, most, failed] = results;
    // A busy machine may refuse one of them; then nothing is compared.
    const isRefused = [plain, lake, most].some(
      (each) => each?.status === 'rejected' && each.reason.code === 'queries_saturated',
    );
    if (isRefused) continue;
    compared += 1;
    const answers = [plain, lake, most].map((each) =>
      each?.status === 'fulfilled' ? JSON.parse(each.value.answer.rowsJson ?? '')[0].n : each?.reason,
    );
    expect(new Set(answers.map((n) => n ?? 0)).size, JSON.stringify(answers)).toBe(1);
    expect(failed?.status).toBe('rejected');
    expect(snapshotId).toBeGreaterThan(0);
  }
  isOver = true;
  await appends;
  expect(compared).toBe(20);
});
