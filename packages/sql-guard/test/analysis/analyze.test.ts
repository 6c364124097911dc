import { beforeAll, expect, it } from 'vitest';
import {
  type Analysis,
  type Analyzed,
  analyzeAll,
  type Binder,
  overGroups,
  type Parser,
} from '../../index.ts';
import { openBinder, openParser } from '../support.ts';

const relations = [
  {
    id: 't1',
    name: 'orders',
    columns: [
      { name: 'id', type: 'INTEGER' },
      { name: 'region', type: 'VARCHAR' },
      { name: 'amount', type: 'DECIMAL(10,2)' },
    ],
  },
  {
    id: 't2',
    name: 'regions',
    columns: [
      { name: 'region', type: 'VARCHAR' },
      { name: 'label', type: 'VARCHAR' },
    ],
  },
];

let parser: Parser;
let binder: Binder;
beforeAll(async () => {
  ({ parser } = await openParser());
  binder = await openBinder();
});

async function analyzed(query: string): Promise<Analyzed> {
  const columnFault = (name: string) => (name === 'taken' ? 'It is taken.' : undefined);
  const analyzer = { parser, binder, columnFault, stopIfInterrupted: () => undefined };
  const [one] = await analyzeAll(analyzer, [{ query, relations, isBuilt: true }]);
  return one!;
}

it('tells columns, what is read, and which columns affect each', async () => {
  const { columns, reads, origins } = (await analyzed(
    'SELECT label, amount * 2 AS double FROM orders JOIN regions USING (region) WHERE id > 5',
  )) as Analysis;
  expect(columns.map(({ name }) => name)).toEqual(['label', 'double']);
  expect(reads).toEqual(['t1', 't2']);
  expect(origins![1]).toEqual(
    expect.arrayContaining([
      { relationId: 't1', column: 'amount', influence: 'transformation' },
      { relationId: 't1', column: 'id', influence: 'filter' },
      { relationId: 't2', column: 'region', influence: 'join' },
    ]),
  );
});

it.each([
  ['SELECT id FROM orders WHERE amount > 5', 'rows'],
  ['SELECT region, sum(amount) AS total, count(*) AS n FROM orders GROUP BY region', 'groups'],
  ['SELECT region, median(amount) AS m FROM orders GROUP BY region', undefined],
  ['SELECT id, random() AS r FROM orders', undefined],
  ['SELECT DISTINCT region FROM orders', undefined],
])('tells how added rows change %s', async (query, kind) => {
  expect(((await analyzed(query)) as Analysis).increment?.kind).toBe(kind);
});

it('reads the result of groups from what is kept', async () => {
  const query = 'SELECT region, avg(id) AS a FROM orders GROUP BY region HAVING count(*) > 1';
  const { increment } = (await analyzed(query)) as Analysis;
  if (increment?.kind !== 'groups') throw new Error('It has no groups.');
  expect(increment.parts.map(({ merge }) => merge)).toEqual(['sum', 'sum', 'sum']);
  expect(await overGroups(parser, increment.result, 'SELECT * FROM kept')).toContain(
    'FROM (SELECT * FROM kept) AS "_sm_groups"',
  );
  await expect(overGroups(parser, 'SELECT * FROM orders', 'SELECT 1')).rejects.toThrow(
    '"orders" doesn\'t exist',
  );
});

it.each([
  ['SELECT 1 AS a, 2 AS A', 'Two columns are named'],
  ['SELECT 1 AS taken', 'Column 1 needs another name. Set it with AS. It is taken.'],
  ['SELECT nothing FROM orders', 'nothing'],
  ['FROM orders AT (VERSION => 3)', 'Remove AT'],
  ['SHOW TABLES', 'SHOW, DESCRIBE and SUMMARIZE'],
])('refuses %s, and says why', async (query, message) => {
  const one = await analyzed(query);
  expect('failure' in one ? one.failure.message : undefined).toContain(message);
});
