import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import {
  readRows,
  rowsDocument,
  type StoredRows,
  storeRows,
} from '../../../../domain/tables/stored-results/stored-results.ts';

/** As much of an object store as the rows need. */
function storeOfOne() {
  const objects = new Map<string, Uint8Array>();
  return {
    put: async (key: string, body: Uint8Array) => void objects.set(key, body),
    read: async (key: string) => Readable.from([Buffer.from(objects.get(key)!)]),
  };
}

async function kept(rows: string): Promise<{ store: ReturnType<typeof storeOfOne>; rows: StoredRows }> {
  const store = storeOfOne();
  const columns = ['n', 'text', 'n'].map((name) => ({ name, dataType: 'VARCHAR' }));
  const answer = { columns, rowCount: 2, rowsWithColumnOrderJson: rows };
  return { store, rows: await storeRows(store, 'key', answer) };
}

const cell = (value: string) => `{"name":"c","value":${value}}`;
const row = (...values: string[]) => `[${values.map(cell).join(',')}]`;

test('rows come back as they were, with every digit', async () => {
  const long = '12345678901234567890.123456789';
  const { store, rows } = await kept(`[${row(long, '"a"', 'null')}]`);
  expect(rows).toMatchObject({ objectKey: 'key', rowCount: 2 });
  expect(JSON.stringify(await readRows(store, rows))).toBe(`[[${long},"a",null]]`);
});

test('a CSV has a header, tells an empty text from nothing, and keeps digits, quotes and lines', async () => {
  const { store, rows } = await kept(
    `[${row('1.10', '""', 'null')},${row('12345678901234567890', '"a, \\"b\\"\\nc"', '{"d":1}')}]`,
  );
  expect((await rowsDocument(store, rows, 'csv')).toString()).toBe(
    'n,text,n\r\n1.1,"",\r\n12345678901234567890,"a, ""b""\nc","{""d"":1}"\r\n',
  );
});

test('JSON is a list of objects; of columns of one name the last is told', async () => {
  const { store, rows } = await kept(`[${row('1', '""', '2')}]`);
  expect((await rowsDocument(store, rows, 'json')).toString()).toBe('[{"n":2,"text":""}]');
});
