import { expect } from 'vitest';
import { mergeTable, rewriteTable } from '../../../../domain/tables/lake-maintenance/compact.ts';
import { flushTable } from '../../../../domain/tables/lake-maintenance/flush.ts';
import { createRandom, type Random } from '../../../faults/random.ts';
import { shaping } from '../../../support/calculated.ts';
import type { Workspace } from '../../../support/workspace.ts';

const cities = ['Bonn', 'Kiel', 'Lyon', 'Rome', null];

/** A row for the table `facts`; few values, so that groups meet. */
const fact = (random: Random, id: number) => ({
  s_id: id,
  city: random.pick(cities),
  n: random.pick([null, -3, 0, 1, 2, 40, 9_007_199_254_740]),
  price: random.pick([null, 0.25, 10, 99.99, -5.5]),
  day: random.pick(['2026-01-01', '2026-02-01', '2025-12-31', null]),
  flag: random.pick([true, false, null]),
});

const conditions = ['n > 0', 'price IS NOT NULL', "f.city <> 'Kiel'", 'flag', 'n % 2 = 0 OR day IS NULL'];
const keys = ['f.city', 'flag', 'year(day)', 'day', 'upper(f.city)', 'n > 1', 'country'];
const values = [
  'f.s_id',
  'n * 2',
  'price + 1',
  "coalesce(f.city, '-')",
  'CASE WHEN flag THEN n END',
  'day',
  'country',
];
/** Averages are rounded: from a kept sum and count, the last digit may be another than the engine's. */
const aggregates = [
  'count(*)',
  'count(n)',
  'sum(n)',
  'sum(price)',
  'min(day)',
  'max(price)',
  'round(avg(n), 1)',
  'round(avg(price), 6)',
  'sum(n) FILTER (WHERE flag)',
  'count(*) FILTER (WHERE price > 1)',
  'round(avg(price), 1) + count(*)',
  'sum(price) / count(*)',
  'max(f.city)',
];

/** A query whose result may follow from added rows: whether it does is for the service to find out. */
function generateQuery(random: Random): string {
  const isJoined = random.chance(0.4);
  const source = random.pick(['facts', 'facts', 'fact_view', 'fact_view_of_view']);
  const from = `${source} f${isJoined ? ' JOIN countries c ON c.city = f.city' : ''}`;
  const where = random.chance(0.5) ? ` WHERE ${random.pick(conditions)}` : '';
  const known = (list: readonly string[]) => list.filter((each) => isJoined || each !== 'country');
  const some = (list: readonly string[], atMost: number) => [
    ...new Set(Array.from({ length: random.int(1, atMost) }, () => random.pick(known(list)))),
  ];
  const named = (list: readonly string[]) => list.map((each, index) => `${each} AS c${index}`).join(', ');
  if (random.chance(0.35)) return `SELECT ${named(some(values, 4))} FROM ${from}${where}`;
  const by = random.chance(0.15) ? [] : some(keys, 3);
  const list = named([...by, ...some(aggregates, 4)]);
  const having = random.chance(0.3) ? ' HAVING count(*) > 1' : '';
  const groupBy = by.length === 0 ? '' : random.chance(0.3) ? ' GROUP BY ALL' : ` GROUP BY ${by.join(', ')}`;
  return `SELECT ${list} FROM ${from}${where}${groupBy}${having}`;
}

type Change = 'append' | 'upsert' | 'remove' | 'maintain' | 'other';

/** Queries of a seed, all over the same tables, which change in these ways between their builds. */
export async function refreshThrough(
  workspace: Workspace,
  seed: number,
  size: { queries: number; kinds: readonly Change[] },
): Promise<void> {
  const random = createRandom(seed, 'incremental');
  const client = await workspace.organization();
  const on = shaping(client);
  const columns = { city: 'STRING', n: 'INTEGER', price: 'DECIMAL(12,2)', day: 'DATE', flag: 'BOOLEAN' };
  const facts = await on.data('facts', columns);
  const countries = await on.data('countries', { city: 'STRING', country: 'STRING' });
  await on.view('fact_view', 'SELECT * FROM facts WHERE n IS NULL OR n < 50 OR s_id % 3 = 0');
  await on.view('fact_view_of_view', 'SELECT s_id, city, n, price, day, flag FROM fact_view WHERE s_id > 2');
  await on.append(countries, [
    { s_id: 1, city: 'Bonn', country: 'DE' },
    { s_id: 2, city: 'Kiel', country: 'DE' },
    { s_id: 3, city: 'Lyon', country: 'FR' },
    { s_id: 4, city: 'Lyon', country: 'EU' },
  ]);
  let lastId = 0;
  const nextId = () => {
    lastId += 1;
    return lastId;
  };
  const append = (count: number) =>
    on.append(
      facts,
      Array.from({ length: count }, () => fact(random, nextId())),
    );
  await append(60);
  const queries = Array.from({ length: size.queries }, () => generateQuery(random));
  const tables: string[] = [];
  for (const [index, query] of queries.entries()) tables.push(await on.calc(`follows_${index}`, query));
  await Promise.all(tables.map((id) => on.materialized(id)));

  const changes: Record<Change, () => Promise<unknown>> = {
    append: () => append(random.int(1, 20)),
    upsert: () => {
      const body = { rows: [fact(random, random.int(1, lastId)), fact(random, nextId())] };
      return on.must('PUT', `/v1/tables/${facts}/rows`, 200, body);
    },
    remove: () =>
      client.call('DELETE', `/v1/tables/${facts}/rows`, { body: { s_ids: [random.int(1, lastId)] } }),
    maintain: async () => {
      const { lake } = workspace.deps;
      const own = await lake.catalog.get(client.organizationId);
      for (const [id, name] of [
        [facts, 'facts'],
        [countries, 'countries'],
      ] as const) {
        const table = { organizationId: client.organizationId, id, name };
        await flushTable(lake, own, table);
        await mergeTable(lake, own, table);
        await rewriteTable(lake, own, table);
      }
      await append(3);
    },
    other: () => on.append(countries, [{ s_id: 1_000 + nextId(), city: 'Rome', country: 'IT' }]),
  };
  let incremental = 0;
  for (const kind of size.kinds) {
    await changes[kind]();
    const runs = await Promise.all(tables.map((id) => on.materialized(id)));
    for (const run of runs) expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
    const modes = runs.map(({ output }) => output.mode);
    if (['upsert', 'remove'].includes(kind)) expect(new Set(modes)).toEqual(new Set(['full']));
    incremental += modes.filter((each) => each === 'incremental').length;
    for (const [index, query] of queries.entries()) {
      const own = `SELECT * FROM follows_${index}`;
      const differing = await on.rows(
        `(SELECT 'followed' AS side, * FROM (${own} EXCEPT ALL (${query})))
           UNION ALL (SELECT 'anew', * FROM ((${query}) EXCEPT ALL ${own}))`,
      );
      expect(differing, `${kind}, ${modes[index]}: ${query}`).toEqual([]);
    }
  }
  // A test of full builds only would show nothing.
  expect(incremental).toBeGreaterThanOrEqual(size.kinds.length);
}
