import { afterEach, expect, test } from 'vitest';
import { counted, createOutput, table } from '../../../clients/cli/src/output.ts';

const { columns } = process.stdout;
afterEach(() => {
  process.stdout.columns = columns;
});

const id = 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x';
const long = 'Import of a file with a very long name into a table';

test('a table fits the terminal: the widest text gives way, ids and numbers do not', () => {
  process.stdout.columns = 70;
  const lines = table(['id', 'n', 'title'], [[id, 12, long]]).split('\n');
  expect(lines.map((line) => line.length)).toEqual([41, 70, 70]);
  expect(lines[2]).toBe(`${id}  12  Import of a file with a very long…`);
  process.stdout.columns = 20;
  expect(table(['id', 'title'], [[id, long]])).toContain(`${id}  Import of a fil…`);
});

test('characters that are two columns wide count as two', () => {
  process.stdout.columns = 18;
  expect(table(['city'], [['東京東京東京東京東京']]).split('\n')[2]).toBe('東京東京東京東京…');
});

test('where there is nothing, a list says what to do, and JSON is an empty list', () => {
  const printed: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  try {
    for (const json of [false, true])
      createOutput({ json, colors: false }).list([], 'There are no projects.', { id: () => 1 });
  } finally {
    process.stdout.write = write;
  }
  expect(printed).toEqual(['There are no projects.\n', '[]\n']);
});

test('one is not many', () => {
  expect([counted(0, 'row'), counted(1, 'row'), counted(2, 'row')]).toEqual(['0 rows', '1 row', '2 rows']);
});
