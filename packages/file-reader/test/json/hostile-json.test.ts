import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, type Lab, mapping, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => `${'{"k":'.repeat(levels)}1${'}'.repeat(levels)}`;

const bad: [string, string, string][] = [
  ['10,000 nested arrays', nested(10_000), 'The record nests more than 1,000 levels deep'],
  ['2 million nested arrays', nested(2_000_000), 'The record nests more than 1,000 levels deep'],
  ['1,001 nested objects', objects(1_001), 'The record nests more than 1,000 levels deep'],
  ['a long number', '9'.repeat(1_001), 'The record has a number of more than 1,000 characters'],
  [
    'a million digits',
    `[0.${'1'.repeat(1_000_000)}]`,
    'The record has a number of more than 1,000 characters',
  ],
  ['a far exponent', '[1e401]', 'The record has a number whose exponent is beyond ±400'],
  ['a farther exponent', '-1.5E-99999999999', 'The record has a number whose exponent is beyond ±400'],
];

describe.each(['json', 'ndjson'] as const)('%s', (format) => {
  const upload = (values: string[]) => {
    const records = values.map((value, index) => `{"a":${index},"b":${value}}`);
    return lab.upload(format === 'json' ? `[${records.join(',\n')}]` : records.join('\n'), format);
  };

  test.each(bad)('%s is one bad row', async (_, value, reason) => {
    const source = await upload(['1', value, '2']);
    const columnMappings = [mapping('a', 'INTEGER'), mapping('b', 'JSON')];
    for (const options of [{}, { columnMappings }]) {
      const { rows, quarantined } = await lab.importFile(source, options, true);
      expect(rows).toEqual([
        ['0', '1'],
        ['2', '2'],
      ]);
      expect(quarantined.map(([line, , , why]) => [line, why])).toEqual([['2', reason]]);
      expect(await failureOf(lab.importFile(source, options))).toMatchObject({
        code: 'bad_row',
        line: 2,
        reason,
      });
      const preview = await lab.previewFile(source, options);
      expect(preview.rows).toHaveLength(2);
      expect(preview.badRows).toMatchObject([{ line: 2, reason }]);
      expect(preview.totalRows).toBe(3);
    }
  });

  test('values at the bounds are read', async () => {
    const values = [nested(1_000), objects(1_000), `[${'9'.repeat(1_000)}]`, '[1e400,1e-400]', '"[[{{9e999"'];
    const source = await upload(values);
    const { rows } = await lab.importFile(source);
    expect(rows.map(([, value]) => value)).toEqual(values);
    expect((await lab.previewFile(source)).rows).toHaveLength(5);
  });
});

test('names of columns that take all memory are refused', async () => {
  const records = Array.from({ length: 10 }, (_, index) => `{"${String(index).repeat(1_000_000)}":1}`);
  const source = await lab.upload(records.join('\n'), 'ndjson');
  expect(await failureOf(lab.importFile(source))).toMatchObject({ code: 'too_large' });
});
