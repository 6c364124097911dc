import { expect, test } from 'vitest';
import { hasItsNumbers, type OtherTable } from '../../../data/lake/ducklake/other-table.ts';

const table: OtherTable = {
  tableId: 1,
  folders: [],
  snapshot: { snapshot_id: 5, schema_version: 2 },
  columns: [],
  schemaVersions: [{ begin_snapshot: 1, schema_version: 1 }],
  files: [],
  deletions: [],
  mappings: [],
  mappedNames: [],
  inlined: [
    { name: 'ducklake_inlined_data_1_2', schemaVersion: 2, columns: [] },
    { name: 'ducklake_inlined_delete_1', schemaVersion: null, columns: [] },
  ],
};

test('a catalog as DuckLake makes it is taken', () => {
  expect(hasItsNumbers(table)).toBe(true);
});

const hostile = "1 AS table_id; ATTACH 'elsewhere'; --";
test.each([
  ['id', { tableId: hostile }],
  ['snapshot', { snapshot: { snapshot_id: 5, schema_version: hostile } }],
  ['version', { schemaVersions: [{ begin_snapshot: hostile, schema_version: 1 }] }],
  ['fraction', { tableId: 1.5 }],
  ['version of rows', { inlined: [{ ...table.inlined[0], schemaVersion: hostile }] }],
  ['name of rows', { inlined: [{ ...table.inlined[0], name: 'x; DROP TABLE y' }] }],
  ['longer name', { inlined: [{ ...table.inlined[0], name: 'ducklake_inlined_data_1_2 AS x, secrets' }] }],
])('a server that answers SQL as %s is seen', (_, change) => {
  expect(hasItsNumbers({ ...table, ...change } as OtherTable)).toBe(false);
});
