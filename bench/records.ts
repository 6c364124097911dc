import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

interface BenchColumn {
  name: string;
  dataType: string;
  engineType: string;
  /** The value of record `k`, as JSON text. */
  textOf: (k: number) => string;
}

const two = (n: number) => String(n).padStart(2, '0');

const kinds: readonly Omit<BenchColumn, 'name'>[] = [
  { dataType: 'INTEGER', engineType: 'BIGINT', textOf: (k) => String(k * 7_919) },
  { dataType: 'STRING', engineType: 'VARCHAR', textOf: (k) => `"customer ${k % 50_000}"` },
  { dataType: 'DECIMAL(12,2)', engineType: 'DECIMAL(12,2)', textOf: (k) => String((k % 1_000_000) / 100) },
  { dataType: 'DOUBLE', engineType: 'DOUBLE', textOf: (k) => String(k / 8) },
  { dataType: 'BOOLEAN', engineType: 'BOOLEAN', textOf: (k) => String(k % 3 === 0) },
  {
    dataType: 'DATE',
    engineType: 'DATE',
    textOf: (k) => `"2026-${two((k % 12) + 1)}-${two((k % 28) + 1)}"`,
  },
  {
    dataType: 'TIMESTAMP',
    engineType: 'TIMESTAMP',
    textOf: (k) =>
      `"2026-03-${two((k % 28) + 1)}T${two(k % 24)}:${two(k % 60)}:${two(k % 59)}.${100 + (k % 900)}"`,
  },
  {
    dataType: 'STRING',
    engineType: 'VARCHAR',
    textOf: (k) => (k % 5 === 0 ? 'null' : `"note number ${k}, of some length"`),
  },
];

/** 19 columns in addition to s_id, of every common type. */
export const benchColumns: readonly BenchColumn[] = Array.from({ length: 19 }, (_, index) => ({
  name: `column_${index + 1}`,
  ...kinds[index % kinds.length]!,
}));

/** One record as a line of JSON. */
export function recordText(k: number): string {
  const cells = benchColumns.map(({ name, textOf }, index) => `"${name}":${textOf(k + index)}`);
  return `{"s_id":${k},${cells.join(',')}}`;
}

export async function writeRecords(path: string, count: number): Promise<void> {
  const stream = createWriteStream(path);
  for (let start = 0; start < count; start += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, count - start) }, (_, index) =>
      recordText(start + index + 1),
    );
    if (!stream.write(`${lines.join('\n')}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}
