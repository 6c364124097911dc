import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { literal } from '../../src/sql.ts';
import { parseFields } from '../../src/text/fields.ts';
import { createSplitter } from '../../src/text/split.ts';

const files = 400;
const separators = [',', ';', '\t', '|'];
const lineEnds = ['\n', '\r\n', '\r'] as const;

type Random = (below: number) => number;

/** A seeded random generator. */
function seeded(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Made {
  text: string;
  separator: string;
  lineEnd: (typeof lineEnds)[number];
  records: string[][];
}

/** A well-formed file: values are quoted where necessary, and sometimes otherwise. */
function makeFile(random: Random): Made {
  const separator = separators[random(separators.length)]!;
  const lineEnd = lineEnds[random(lineEnds.length)]!;
  const width = 2 + random(4);
  const parts = ['a', 'é', '7', ' ', 'x y', '"', '""', separator, ',', ';', '\n', '\r\n', "'", '😀', '-'];
  const value = (): string => Array.from({ length: random(5) }, () => parts[random(parts.length)]).join('');
  const records = Array.from({ length: 1 + random(12) }, () => Array.from({ length: width }, value));
  const written = (field: string): string => {
    const mustQuote = /["\r\n]/.test(field) || field.includes(separator) || field.trim() !== field;
    return mustQuote || random(4) === 0 ? `"${field.replaceAll('"', '""')}"` : field;
  };
  const lines = records.map((record) => record.map(written).join(separator));
  const text = lines.join(lineEnd) + (random(3) === 0 ? '' : lineEnd);
  return { text, separator, lineEnd, records };
}

/** The records as this service splits them, from chunks of any size, with the number of fields it counts. */
function split({ text, separator }: Made, chunkBytes: number): { records: string[][]; counts: number[] } {
  const records: string[][] = [];
  const counts: number[] = [];
  const layout = { separator: Buffer.from(separator), quote: 0x22, skipLines: 0, isCounted: true };
  const splitter = createSplitter(layout, (bytes, _, fault, fields) => {
    records.push(fault === undefined ? parseFields(bytes.toString(), separator, '"') : [fault]);
    counts.push(fault === undefined ? fields : 1);
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) splitter.write(bytes.subarray(at, at + chunkBytes));
  splitter.end();
  return { records, counts };
}

async function readWithEngine(connection: DuckDBConnection, path: string, made: Made): Promise<unknown[][]> {
  const columns = made.records[0]!.map((_, index) => `'c${index}': 'VARCHAR'`).join(', ');
  const end = made.lineEnd.replaceAll('\r', '\\r').replaceAll('\n', '\\n');
  const reader = await connection.runAndReadAll(`FROM read_csv(${literal(path)}, auto_detect = false,
    header = false, delim = ${literal(made.separator)}, quote = '"', escape = '"', new_line = '${end}',
    nullstr = '\u0001', columns = {${columns}})`);
  return reader.getRows();
}

let folder: string;
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'split-fuzz-'));
  connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
});
afterAll(async () => {
  connection.closeSync();
  await rm(folder, { recursive: true, force: true });
});

test(`${files} well-formed files have the records that the engine's own reader sees`, async () => {
  const path = join(folder, 'file.csv');
  for (let seed = 1; seed <= files; seed += 1) {
    const random = seeded(seed);
    const made = makeFile(random);
    const { records, counts } = split(made, 1 + random(40));
    const label = `seed ${seed}: ${JSON.stringify(made.text)}`;
    expect(records, label).toEqual(made.records);
    expect(counts, label).toEqual(made.records.map((record) => record.length));
    await writeFile(path, made.text);
    expect(await readWithEngine(connection, path, made), label).toEqual(made.records);
  }
});

test(`the fields of ${files} files of any shape are counted as they are parsed`, () => {
  for (let seed = 1; seed <= files; seed += 1) {
    const random = seeded(seed + files);
    const made = makeFile(random);
    // Records of any width: some values missing, some extra.
    for (const record of made.records)
      record.splice(random(record.length), random(3), ...record.slice(random(3)));
    const quoted = made.records.map((record) =>
      record
        .map((field) =>
          random(2) === 0
            ? `${' '.repeat(random(2))}"${field.replaceAll('"', '""')}"${' '.repeat(random(2))}`
            : field.replaceAll(/[\r\n]/g, ' ').replace(/^\s*"/, ''),
        )
        .join(made.separator),
    );
    made.text = quoted.join(made.lineEnd);
    const { records, counts } = split(made, 1 + random(40));
    expect(counts, `seed ${seed}: ${JSON.stringify(made.text)}`).toEqual(
      records.map((record) => record.length),
    );
  }
});
