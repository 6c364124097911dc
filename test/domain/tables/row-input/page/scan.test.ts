import { describe, expect, it } from 'vitest';
import {
  type PageContent,
  type PageRules,
  readPage,
} from '../../../../../domain/tables/row-input/page/page.ts';
import { scanBody } from '../../../../../domain/tables/row-input/page/scan.ts';
import {
  column,
  columns,
  expectSame,
  general,
  generatePage,
  generator,
  plain,
  readDamagedPages,
  rules,
} from './scan.ts';

describe('the quick reading of a page', () => {
  it('takes an ordinary page, whatever white space and order it comes in', () => {
    for (const body of [
      '{"records":[]}',
      '{"records":[{"s_id":1,"text":"a"},{"text":"b","s_id":2,"count":null}]}',
      ' { "records" : [ { "text" : "a\\n\\u00e9" , "s_id" : 9223372036854775807 } ] } ',
      '{"records":[{"s_id":3,"text":"x","at":"2026-01-31 10:00:00"},{"s_id":2,"text":"y","amount":"7.10","ratio":-0.5e3}]}',
      plain.replace('"naïve \\"name\\"":"é",', ''),
    ]) {
      expect(scanBody(Buffer.from(body), columns, rules), body).toBeDefined();
      expectSame(body);
    }
  });

  it('hands out what stands beside the records', () => {
    const body = '{"page_number":7,"records":[{"s_id":1,"text":""}],"sync_generation":"g1"}';
    expect(scanBody(Buffer.from(body), columns, rules)?.members).toEqual({
      page_number: 7,
      sync_generation: 'g1',
    });
  });

  it.each([
    '{"records":[{"s_id":1,"text":"a","s_id":2}]}',
    '{"records":[{"s_id":1,"text":"a"},]}',
    '{"records":[{"s_id":1,"text":"a"}]',
    '{"records":[{"s_id":1,"text":"a"}]}x',
    '{"records":[{"s_id":1,"text":"a"}],"records":[]}',
    '{"records":[{"s_id":01,"text":"a"}]}',
    '{"records":[{"s_id":1.,"text":"a"}]}',
    '{"records":[{"s_id":1,"text":"a\tb"}]}',
    '{"records":[{"s_id":1,"text":"\\x"}]}',
    '{"records":[{"s_id":1,"text":"\\ud800"}]}',
    '{"records":[{"s_id":1,"text":"a","extra":[1}]}]}',
    '{"records":[{"s_id":1,"text":"a","extra":[1 2]}]}',
    '{"records":[{"s_id":1,"text":"a","extra":truu}]}',
    '{"records":[{"s_id":1,"text":null}]}',
    '{"records":[{"s_id":1}]}',
    '{"records":[{"s_id":1,"text":"a","unknown":1}]}',
    '{"records":[{"s_id":1,"text":"a"},{"s_id":1,"text":"b"}]}',
    '{"records":[{"s_id":1,"text":"a","count":1.5}]}',
    '{"records":[{"s_id":1,"text":"a","amount":1.234}]}',
    '{"records":[{"s_id":1,"text":"a","isGood":1}]}',
    '{"records":[{"s_id":1,"text":"a","day":"2026-02-30"}]}',
    '{"records":[{"s_id":1,"text":"a","_sm_created_at":"2026-01-01"}]}',
    '{"records":{}}',
    '{}',
    '[]',
    '',
  ])('leaves %s to the general one', (body) => {
    expect(scanBody(Buffer.from(body), columns, rules)).toBeUndefined();
  });

  it('gives what the general reading gives, or nothing, for generated pages', () => {
    const random = generator(20261121);
    let taken = 0;
    for (let round = 0; round < 3_000; round += 1) {
      const body = generatePage(random);
      let expected: PageContent | undefined;
      try {
        expected = general(body);
      } catch {
        expect(scanBody(Buffer.from(body), columns, rules), body).toBeUndefined();
      }
      if (expected === undefined) continue;
      expectSame(body);
      if (scanBody(Buffer.from(body), columns, rules) !== undefined) taken += 1;
    }
    expect(taken).toBeGreaterThan(1_000);
  });

  it('leaves long integers in a column that became DOUBLE to the general one', () => {
    const inferred = [column('s_id', 'INTEGER'), column('v', 'DOUBLE', { typing: 'inferred' })];
    for (const value of ['9007199254740994', '1e17', '16E+17', '12345678901234567.0'])
      expect(scanBody(Buffer.from(`{"records":[{"s_id":1,"v":${value}}]}`), inferred, rules)).toBeUndefined();
    const long = Buffer.from('{"records":[{"s_id":1,"v":0.12345678901234566}]}');
    expect(scanBody(long, inferred, rules)).toBeDefined();
  });

  it('never takes a damaged page that JSON refuses', () => readDamagedPages(2_000));
});

describe('the general reading of a page', () => {
  it('lets no record without an s_id decide a type, and names at most twenty faults of one', () => {
    const quarantine: PageRules = { ...rules, onBadRecord: 'quarantine' };
    const open = [column('s_id', 'INTEGER'), column('v', 'STRING', { typing: 'undetermined' })];
    const { records, bad } = readPage(open, [{ v: 'x' }, { s_id: 1, v: 1 }, { s_id: 2, v: 2 }], quarantine);
    expect([records, bad.map(({ index }) => index)]).toEqual([2, [0]]);
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, 1]));
    const [only] = readPage(open, [{ s_id: 1, ...wide }], quarantine).bad;
    expect(only!.reason.match(/no column/g)).toHaveLength(20);
  });
});
