import { expect } from 'vitest';
import { canonicalJson, canonicalNumber } from '../../../../../data/canonical-json.ts';
import { type JsonValue, parseExactJson } from '../../../../../data/exact-json.ts';
import {
  type PageContent,
  type PageRules,
  readPage,
} from '../../../../../domain/tables/row-input/page/page.ts';
import { scanBody } from '../../../../../domain/tables/row-input/page/scan.ts';
import type { Row } from '../../../../../domain/tables/row-input/plan.ts';
import type { LakeColumn } from '../../../../../domain/tables/tables/columns.ts';

export const rules: PageRules = { onBadRecord: 'refuse', onNewField: 'refuse', keys: [], repeats: false };

export function column(name: string, dataType: string, more: Partial<LakeColumn> = {}): LakeColumn {
  return { name, dataType, nullable: true, typing: 'declared', ...more };
}

export const columns: LakeColumn[] = [
  column('s_id', 'INTEGER', { nullable: false }),
  column('count', 'INTEGER'),
  column('ratio', 'DOUBLE'),
  column('amount', 'DECIMAL(12,2)'),
  column('naïve "name"', 'STRING'),
  column('text', 'STRING', { nullable: false }),
  column('isGood', 'BOOLEAN'),
  column('day', 'DATE'),
  column('at', 'TIMESTAMP'),
  column('instant', 'TIMESTAMPTZ'),
  column('time', 'TIME'),
  column('extra', 'JSON'),
  column('open', 'STRING', { typing: 'undetermined' }),
  column('widening', 'INTEGER', { typing: 'inferred' }),
  column('_sm_created_at', 'TIMESTAMP', { nullable: false }),
];

export function general(body: string): PageContent {
  const { records } = parseExactJson(body) as { records: Row[] };
  return readPage(columns, records, rules);
}

/**
 * The feed's values, with numbers and decimals compared by value: the two readings may format a value
 * differently.
 */
function cells(content: PageContent): string[] {
  const types = new Map(content.columns.map(({ position, dataType }) => [`c${position}`, dataType]));
  return Buffer.from(content.feed)
    .toString()
    .split('\n')
    .map((line) => {
      if (line === '') return '';
      const row = parseExactJson(line) as { [key: string]: JsonValue };
      const named = Object.keys(row).map((key) => {
        const value = row[key]!;
        const isDecimal = types.get(key)?.startsWith('DECIMAL') && typeof value === 'string';
        return [key, isDecimal ? canonicalNumber(value) : value] as const;
      });
      return canonicalJson(Object.fromEntries(named));
    });
}

export function expectSame(body: string): void {
  const scanned = scanBody(Buffer.from(body), columns, rules);
  if (scanned === undefined) return;
  const slow = general(body);
  const { feed: _fast, ...quick } = scanned.content;
  const { feed: _slow, ...full } = slow;
  expect(quick).toEqual(full);
  expect(cells(scanned.content)).toEqual(cells(slow));
}

export const plain =
  '{"records":[{"s_id":1,"count":-5,"ratio":2.5,"amount":12.50,"naïve \\"name\\"":"é","text":"x","isGood":true,"day":"2026-02-28","at":"2026-11-21T08:30:00.123Z","time":"08:30","extra":{"b":1,"a":[2]},"open":7,"widening":1.5}]}';

/** A seeded generator of numbers from 0 to 1 (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const values: Record<string, readonly string[]> = {
  count: ['0', '-1', '123456789012345678', '9223372036854775807', '1e3', '-0', 'null', '7.0'],
  ratio: [
    '0.1',
    '1.50',
    '-0.0',
    '1e300',
    '123456789012345',
    '0.0000001',
    '"NaN"',
    'null',
    '9007199254740992',
  ],
  amount: ['1', '12.30', '-0.5', '"7.1"', '9999999999.99', '1e2', '0.000', 'null'],
  'naïve "name"': ['"a"', '"\\u00e9\\\\"', '"😀"', 'null'],
  text: ['""', '"plain"', '"tab\\t"', '"\\/"', '"ünï"'],
  isGood: ['true', 'false', 'null'],
  day: ['"2026-01-31"', '"2024-02-29"', '"0001-01-01"', 'null'],
  at: [
    '"2026-01-01T00:00:00"',
    '"2026-01-01 23:59:59.5Z"',
    '"2026-03-30T01:00:00+02:00"',
    '"2026-01-01"',
    'null',
  ],
  instant: ['"2026-01-01T00:00:00Z"', '"2026-01-01T00:00:00.123456-05:00"'],
  time: ['"01:02"', '"01:02:03.5"'],
  extra: ['{"z":1.0,"a":[]}', '[1e5,"x"]', '"text"', '12345678901234567890', 'true', 'null'],
  open: ['1', '2.5', '"x"', 'true', '{"a":1}', 'null'],
  widening: ['1', '2.5', '9007199254740993', 'null', '1e20'],
};

export function generatePage(random: () => number): string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const space = () => (random() < 0.1 ? ' ' : '');
  const names = Object.keys(values).filter((name) => name === 'text' || random() < 0.5);
  const records = Array.from({ length: Math.floor(random() * 6) }, (_, index) => {
    const own =
      random() < 0.8 ? names : names.toReversed().filter((name) => name === 'text' || random() < 0.7);
    const members = own.map(
      (name) => `${space()}${JSON.stringify(name)}${space()}:${space()}${pick(values[name]!)}`,
    );
    members.splice(
      Math.floor(random() * (members.length + 1)),
      0,
      `"s_id":${index * (random() < 0.05 ? 0 : 3) - 4}`,
    );
    return `{${members.join(',')}${space()}}`;
  });
  return `{"records":${space()}[${records.join(',')}]}`;
}

/** Reads so many pages of which one byte is another one. */
export function readDamagedPages(rounds: number): void {
  const random = generator(7);
  for (let round = 0; round < rounds; round += 1) {
    const bytes = Buffer.from(plain);
    const at = Math.floor(random() * bytes.length);
    bytes[at] = Math.floor(random() * 128);
    if (scanBody(bytes, columns, rules) === undefined) continue;
    expectSame(bytes.toString());
  }
}
