import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatOf } from '../src/format.ts';
import { failureOf, type Lab, openLab } from './lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const lines = Array.from({ length: 50_000 }, (_, at) => `${at},Porto ${at % 7},${at / 2}`);
const csv = `order_no,city,amount\n${lines.join('\n')}\n`;
const packed = { gzip: gzipSync(csv), zstd: zstdCompressSync(csv) };

test.each(['gzip', 'zstd'] as const)('a CSV file by %s is what it was before', async (name) => {
  const [plain, compressed] = [await lab.upload(csv), await lab.upload(packed[name])];
  const page = { pageNumber: 2, pageSize: 20 };
  expect(await lab.previewFile(compressed, {}, page)).toEqual(await lab.previewFile(plain, {}, page));
  const [as, expected] = [await lab.importFile(compressed), await lab.importFile(plain)];
  expect([as.columns, as.rows]).toEqual([expected.columns, expected.rows]);
  expect(as.staged.bytesRead).toBe(packed[name].length);
});

test('bad rows of a compressed file are quarantined with their lines', async () => {
  const text = 'a,b\n1,2\n1,2,3\n5,6\n';
  const { rows, quarantined } = await lab.importFile(await lab.upload(gzipSync(text)), {}, true);
  expect(rows).toEqual([
    ['1', '2'],
    ['5', '6'],
  ]);
  expect(quarantined).toEqual([['3', null, '1,2,3', 'Expected 2 fields, found 3']]);
});

test('several parts, one after the other, are one file', async () => {
  const [head, tail] = [Buffer.from('{"a":1}\n{"a":2}\n'), Buffer.from('{"a":3}\n')];
  for (const pack of [gzipSync, zstdCompressSync]) {
    const source = await lab.upload(Buffer.concat([pack(head), pack(tail)]), 'ndjson');
    expect((await lab.previewFile(source)).rows).toEqual([[1], [2], [3]]);
  }
});

test('text in another encoding, and JSON, are read after they are unpacked', async () => {
  const utf16 = Buffer.from(`\ufeffnäme,b\nü,1\n`, 'utf16le');
  expect((await lab.previewFile(await lab.upload(gzipSync(utf16)))).rows).toEqual([['ü', 1]]);
  const json = await lab.upload(zstdCompressSync('[{"a":"x"},{"a":"y"}]'), 'json');
  expect((await lab.previewFile(json)).rows).toEqual([['x'], ['y']]);
});

test.each(['gzip', 'zstd'] as const)(
  'a file by %s that is cut short is told, never half imported',
  async (name) => {
    for (const length of [5, 20, packed[name].length - 5]) {
      const source = await lab.upload(packed[name].subarray(0, length));
      const failure = await failureOf(lab.importFile(source));
      expect(failure).toMatchObject({ code: 'malformed_file', message: expect.stringContaining(name) });
    }
  },
);

test('bytes that changed are told', async () => {
  const changed = Buffer.from(packed.gzip);
  changed[changed.length >> 1]! ^= 0xff;
  expect((await failureOf(lab.importFile(await lab.upload(changed)))).code).toBe('malformed_file');
});

test('a bomb is refused long before it is unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 1_024 ** 2, 'a,b\n'));
  expect((await failureOf(lab.importFile(await lab.upload(bomb)))).code).toBe('too_large');
  // Nothing but blanks for hundreds of gigabytes, in a file of a few.
  const nested = zstdCompressSync(Buffer.alloc(200 * 1_024 ** 2, ' '));
  const many = Buffer.concat(Array.from({ length: 100 }, () => nested));
  expect((await failureOf(lab.importFile(await lab.upload(many)))).code).toBe('too_large');
});

test('a workbook or Parquet file that was compressed once more is refused with what to do', async () => {
  for (const format of ['parquet', 'xlsx'] as const) {
    const failure = await failureOf(lab.importFile(await lab.upload(gzipSync('PK'), format)));
    expect(failure.message).toMatch(/compressed inside/);
  }
});

test('the ending of a compressed file does not hide the format', () => {
  expect(['a.csv.gz', 'b.NDJSON.ZST', 'c.tsv.zstd', 'd.json.gzip', 'e.gz', 'f.pdf.gz'].map(formatOf)).toEqual(
    [...['csv', 'ndjson', 'csv', 'json', undefined, undefined]],
  );
});
