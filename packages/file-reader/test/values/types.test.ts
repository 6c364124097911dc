import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, type Lab, mapping, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

/** Imports a column next to another one, so that the fast reader is used. */
async function importColumn(values: string[], options: Parameters<Lab['importFile']>[1] = {}) {
  const source = await lab.upload(`v|w\n${values.map((value) => `${value}|1`).join('\n')}\n`);
  const { columns, rows } = await lab.importFile(source, options);
  return { type: columns[0]?.slice(2), values: rows.map(([value]) => value) };
}

describe('detection', () => {
  test.each<[string, string[], string]>([
    ['whole numbers', ['1', '-20', '9223372036854775807'], 'INTEGER'],
    ['leading zeros', ['1', '00123'], 'STRING'],
    ['a plus sign', ['+4912345'], 'STRING'],
    ['beyond 64 bits', ['1', '9223372036854775808'], 'DECIMAL(38,0)'],
    ['beyond 38 digits', ['1', '1'.repeat(39)], 'STRING'],
    ['decimals', ['1', '2.50', '1e-7'], 'DOUBLE'],
    ['decimals beside a long whole number', ['0.25', '9007199254740993'], 'DECIMAL(38,2)'],
    ['more decimals than a double has', ['0.1234567890123456789', '12'], 'DECIMAL(38,19)'],
    ['doubles as programs print them', ['0.30000000000000004', '1.1'], 'DOUBLE'],
    ['truth values', ['true', 'FALSE', ''], 'BOOLEAN'],
    ['0 and 1', ['0', '1'], 'INTEGER'],
    ['dates', ['2024-02-29', '1999-12-31'], 'DATE'],
    ['an impossible date', ['2024-02-29', '2023-02-29'], 'STRING'],
    ['timestamps', ['2024-02-29 10:00:00', '2024-02-29T10:00:00.5', '2024-03-01'], 'TIMESTAMP'],
    [
      'instants',
      ['2024-02-29T10:00:00Z', '2024-02-29 10:00:00.5+02:00', '2024-02-29T10:00-0530'],
      'TIMESTAMPTZ',
    ],
    ['some with an offset', ['2024-02-29 10:00:00', '2024-02-29T10:00:00+02:00'], 'STRING'],
    ['times', ['10:00', '23:59:59.5'], 'TIME'],
    ['days that prove their order', ['01/02/2024', '31/12/2024'], 'DATE'],
    ['months first', ['01/02/2024', '12/31/2024'], 'DATE'],
    ['days that do not', ['01/02/2024', '03/04/2024'], 'STRING'],
    ['days that contradict', ['31/12/2024', '12/31/2024'], 'STRING'],
    ['German days', ['01.02.2024', '03.04.2024'], 'DATE'],
    ['words', ['1', 'x'], 'STRING'],
    ['nothing', ['', ''], 'STRING'],
    ['not a number', ['1.5', 'NaN'], 'STRING'],
  ])('%s', async (_, values, type) => {
    expect((await importColumn(values)).type).toBe(type);
  });

  test('values arrive as written', async () => {
    expect((await importColumn(['01/02/2024', '31/12/2024'])).values).toEqual(['2024-02-01', '2024-12-31']);
    expect((await importColumn(['2024-02-29T10:00:00+02:00'])).values).toEqual(['2024-02-29 08:00:00+00']);
    expect((await importColumn(['0.25', '9007199254740993'])).values).toEqual([
      '0.25',
      '9007199254740993.00',
    ]);
  });

  test.each<[string, string, string]>([
    ['a word', 'abc', 'STRING'],
    ['a leading zero', '007', 'STRING'],
    ['decimals', '1.5', 'DOUBLE'],
    ['a wide number', '9223372036854775808', 'DECIMAL(38,0)'],
  ])('looks at every row: %s after 300,000 whole numbers', async (_, last, type) => {
    const values = [...Array.from({ length: 300_000 }, (_unused, index) => String(index)), last];
    expect((await importColumn(values)).type).toBe(type);
  });

  test.each<[string, string, string, string]>([
    ['an empty column', '', '5', 'INTEGER'],
    ['dates of an open order', '01/02/2024', '31/12/2024', 'DATE'],
  ])('looks at every row: the last one decides %s', async (_, first, last, type) => {
    const values = [...Array.from({ length: 60_000 }, () => first), last];
    expect((await importColumn(values)).type).toBe(type);
  });

  test('thousands and decimal commas are told from the values', async () => {
    expect(await importColumn(['1.234,50', '12,5'])).toEqual({ type: 'DOUBLE', values: [1234.5, 12.5] });
    expect(await importColumn(['1,234,567', '12'])).toEqual({ type: 'INTEGER', values: ['1234567', '12'] });
    expect((await importColumn(['1,234', '5,678'])).type).toBe('STRING');
  });
});

describe('mapped types', () => {
  const importAs = (dataType: string, values: string[], csv = {}) =>
    importColumn(values, { columnMappings: [mapping('v', dataType)], csv });

  test.each<[string, string[], unknown[], object?]>([
    [
      'INTEGER',
      ['007', ' 5 ', '+6', '1.0', '-9223372036854775808'],
      ['7', '5', '6', '1', '-9223372036854775808'],
    ],
    ['INTEGER', ['1.234', '12'], ['1234', '12'], { thousands: '.' }],
    ['DECIMAL(10,2)', ['1.25', '1.2500', '-.5', '3'], ['1.25', '1.25', '-0.50', '3.00']],
    ['DECIMAL', ['1.0123456789'], ['1.0123456789']],
    ['DECIMAL(6,2)', ['1.234,5'], ['1234.50'], { thousands: '.' }],
    ['DECIMAL(38,0)', ['9'.repeat(38)], ['9'.repeat(38)]],
    ['DOUBLE', ['1e3', '1 234.5'], [1000, 1234.5], { thousands: ' ' }],
    ['BOOLEAN', ['yes', 'F', '1'], [true, false, true]],
    ['DATE', ['2024-1-5', '2024-01-05T00:00:00'], ['2024-01-05', '2024-01-05']],
    ['DATE', ['31/12/2024'], ['2024-12-31'], { dateFormat: 'dd/MM/yyyy' }],
    ['DATE', ['20241231'], ['2024-12-31'], { dateFormat: '%Y%m%d' }],
    ['DATE', ['5 Mar 2024'], ['2024-03-05'], { dateFormat: 'd MMM yyyy' }],
    ['TIMESTAMP', ['31/12/2024 23:59:58'], ['2024-12-31 23:59:58'], { dateFormat: 'dd/MM/yyyy HH:mm:ss' }],
    [
      'TIMESTAMP',
      ['2024-12-31T23:59:58Z', '2024-12-31 10:00 -0530'],
      ['2024-12-31 23:59:58', '2024-12-31 15:30:00'],
    ],
    ['TIME', ['9:05', '10:00:00.25'], ['09:05:00', '10:00:00.25']],
    ['JSON', ['{"a":9007199254740993}', '[1]'], ['{"a":9007199254740993}', '[1]']],
    ['STRING', ['007', 'x'], ['007', 'x']],
  ])('%s reads %j', async (dataType, values, expected, csv) => {
    const all = await importAs(dataType, values, csv);
    expect(all.values).toEqual(expected);
  });

  test.each<[string, string, object?]>([
    ['INTEGER', '1.5'],
    ['INTEGER', '1e3'],
    ['INTEGER', '0x1F'],
    ['INTEGER', '1_000'],
    ['INTEGER', '9223372036854775808'],
    ['INTEGER', '1.23', { thousands: '.' }],
    ['DECIMAL(10,2)', '1.234'],
    ['DECIMAL(4,2)', '100.00'],
    ['DECIMAL', '0.12345678901'],
    ['DOUBLE', '1e999'],
    ['DOUBLE', '1_0'],
    ['BOOLEAN', 'maybe'],
    ['DATE', '2024-01-05 10:00:00'],
    ['DATE', '2023-02-29'],
    ['DATE', 'infinity'],
    ['DATE', '2024-01-05', { dateFormat: 'dd/MM/yyyy' }],
    ['DATE', '31/02/2024', { dateFormat: 'dd/MM/yyyy' }],
    ['TIMESTAMP', 'epoch'],
    ['TIMESTAMP', '2024-01-05 25:00:00'],
    ['TIME', '25:00'],
    ['JSON', '{a}'],
  ])('%s refuses %j', async (dataType, value, csv) => {
    const failure = await failureOf(importAs(dataType, ['', value], csv));
    expect(failure).toMatchObject({ code: 'bad_row', line: 3, column: 'v', raw: `${value}|1` });
    expect(failure.reason).toContain('does not fit');
  });
});
