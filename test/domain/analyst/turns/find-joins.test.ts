import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import {
  columnKey,
  foundStatement,
  joinsOf,
  pairsOf,
  uniqueStatement,
} from '../../../../domain/analyst/turns/tools/find-joins.ts';

const flights = {
  name: 'flights',
  columns: [
    { name: 'dest', dataType: 'STRING' },
    { name: 'plane_id', dataType: 'INTEGER' },
    { name: 'seats', dataType: 'INTEGER' },
    { name: 'delay', dataType: 'DOUBLE' },
  ],
};
const airports = {
  name: 'air"ports',
  columns: [
    { name: 'faa', dataType: 'STRING' },
    { name: 'city', dataType: 'STRING' },
  ],
};
const planes = { name: 'planes', columns: [{ name: 'id', dataType: 'INTEGER' }] };
const tables = [flights, airports, planes];

it('finds keys by their values, whole numbers only where names are alike', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  await rows(`CREATE TABLE flights AS SELECT ['LAX', 'SFO', 'ZRH'][1 + i % 3] AS dest,
    CAST(i % 5 AS INTEGER) AS plane_id, CAST(i % 5 AS INTEGER) AS seats, 1.5 AS delay FROM range(0, 30) t(i)`);
  await rows(`CREATE TABLE "air""ports" AS SELECT * FROM
    (VALUES ('LAX', 'a'), ('SFO', 'b'), ('ZRH', 'b'), ('HNL', 'c')) AS t(faa, city)`);
  await rows('CREATE TABLE planes AS SELECT CAST(i AS INTEGER) AS id FROM range(0, 6) t(i)');

  const unique = (await rows(uniqueStatement(tables)))
    .filter(([, , isUnique]) => isUnique === true)
    .map(([table, name]) => columnKey({ table: String(table), name: String(name) }));
  expect(unique.sort()).toEqual(['air"ports\nfaa', 'planes\nid']);

  const pairs = pairsOf(tables, new Set(unique));
  expect(joinsOf(pairs, await rows(foundStatement(pairs)))).toEqual([
    {
      table: 'flights',
      column: 'dest',
      otherTable: 'air"ports',
      otherColumn: 'faa',
      values: 3,
      valuesFound: 3,
    },
    {
      table: 'flights',
      column: 'plane_id',
      otherTable: 'planes',
      otherColumn: 'id',
      values: 5,
      valuesFound: 5,
    },
  ]);
  connection.closeSync();
});
