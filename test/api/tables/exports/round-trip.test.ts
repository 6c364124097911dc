import { beforeAll, describe, expect, test } from 'vitest';
import { exporting } from '../../../support/exports.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof exporting>;
let project: string;

beforeAll(async () => {
  client = await workspace.organization();
  on = exporting(client);
  project = await on.project();
});

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Values that programs read as something else. */
const texts = [
  ...[
    '',
    ' ',
    ' x ',
    'a,b',
    'a;b\tc|d',
    '"',
    '""',
    'say "hi"',
    "it's",
    'two\nlines',
    'two\r\nlines',
    '\\',
    '\\N',
  ],
  ...[
    'NULL',
    'null',
    'NA',
    'nan',
    '007',
    '5E1',
    '1,50',
    '1.5',
    '-0',
    '+49 30',
    'TRUE',
    'yes',
    '=1+1',
    '#note',
  ],
  ...[
    '2026-01-02',
    '01/02/2026',
    '12:30',
    'ü',
    '日本語',
    '😀',
    '{"a":1}',
    '[1]',
    '\u200b',
    'e\u0301',
    'x'.repeat(5_000),
  ],
];
const values: Record<string, readonly unknown[]> = {
  STRING: texts,
  INTEGER: [0, -1, 7, 2_147_483_648, 9_007_199_254_740_991, -9_007_199_254_740_991],
  'DECIMAL(18,4)': ['0.0000', '-0.0500', '12345678901234.5678', '1.0000'],
  DOUBLE: [0, -0.5, 0.1, 1e300, 5e-324, 12_345_678.9, 1 / 3],
  BOOLEAN: [true, false],
  DATE: ['1970-01-01', '2024-02-29', '1899-12-31', '9999-12-31', '0044-03-15'],
  TIMESTAMP: ['2026-01-02T03:04:05', '1969-12-31T23:59:59.999999', '2026-01-02T00:00:00'],
  TIMESTAMPTZ: ['2026-01-02T03:04:05Z', '1969-12-31T23:59:59.123456Z'],
  TIME: ['00:00:00', '23:59:59.999999', '12:30:00'],
  JSON: [{ a: [1, 'x', null], b: { c: '"' } }, [], [1.5, -2], 'text', 7, true, {}],
};
const types = Object.keys(values);

/** A table of some columns and rows, the first of which has no nulls and the last nothing else. */
function tableOf(seed: number) {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const columns = Array.from({ length: 1 + Math.floor(random() * 7) }, (_, index) => ({
    name: pick(['name', 'a b', 'Ünï', 'x,y', 'say "hi"', 'select', '1st']) + index,
    type: index === 0 && seed % 3 === 0 ? 'STRING' : pick(types),
  }));
  const rows = Array.from({ length: 25 }, (_, at) =>
    Object.fromEntries([
      ['s_id', at],
      ...columns.map(({ name, type }) => [
        name,
        at === 24 || (at > 0 && random() < 0.2) ? null : pick(values[type]!),
      ]),
    ]),
  );
  return { columns, rows };
}

const seeds = [1, 2, 3, 4, 5, 6];

describe.each(seeds)('the table of seed %i', (seed) => {
  const table = `round_${seed}`;
  const { columns, rows } = tableOf(seed);
  const list = ['s_id', ...columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`)].join(', ');
  const rowsOf = async (name: string) => {
    const sql = `SELECT ${list} FROM ${name} ORDER BY s_id`;
    const body = { sql, row_format: 'rows_with_column_order' };
    return (await on.must('POST', '/v1/query-executions', 200, body)).rows_with_column_order;
  };

  beforeAll(async () => {
    const made = columns.map(({ name, type }) => ({ name, data_type: type }));
    const id = (await on.must('POST', '/v1/grid/tables', 201, { name: table, kind: 'data', columns: made }))
      .tableId;
    await on.append(id, rows);
  });

  test.each(['csv', 'csv.gz', 'ndjson', 'parquet'])(
    'is the same after an export as %s and an import',
    async (format) => {
      const exported = await on.exported({
        ...{ sql: `SELECT ${list} FROM ${table}`, format, byte_order_mark: format === 'csv' },
        ...{ project_id: project, path: `round/${seed}.${format}` },
      });
      expect(exported.error).toBeNull();
      const into = `${table}_${format.replace('.', '_')}`;
      const mappings = [{ name: 's_id', type: 'INTEGER' }, ...columns].map(({ name, type }) => ({
        ...{ source_column_name: name, target_column_name: name, data_type: type },
      }));
      const url = `/v1/projects/${project}/files/${exported.fileId}/imports`;
      const begun = await on.must('POST', url, 202, { table_name: into, column_mappings: mappings });
      expect((await on.importEnded(begun.id)).error).toBeNull();
      expect(await rowsOf(into)).toEqual(await rowsOf(table));
    },
  );
});
