import { describe, expect, test } from 'vitest';
import { type ChartKind, type ChartRequest, type ChartResult, chartSpec } from '../../src/charts/spec.ts';
import { createLabels } from '../../src/charts/values.ts';
import { DocumentFault } from '../../src/fault.ts';

interface Drawn {
  title: { text: string[] };
  data: { values: Record<string, unknown>[] };
  encoding: Record<string, Record<string, unknown>>;
}

function specOf(request: Partial<ChartRequest>, result: ChartResult): Drawn {
  const whole = { kind: 'bar', x: 'a', y: 'b', title: 'A title', ...request } as const;
  return chartSpec(whole, result) as unknown as Drawn;
}

function refusalOf(request: Partial<ChartRequest>, result: ChartResult): string {
  try {
    specOf(request, result);
  } catch (error) {
    expect(error).toBeInstanceOf(DocumentFault);
    expect((error as DocumentFault).code).toBe('chart_refused');
    return (error as DocumentFault).message;
  }
  throw new Error('It was not refused.');
}

const result = (rows: unknown[][], types = ['STRING', 'INTEGER', 'STRING']): ChartResult => ({
  columns: types.map((dataType, index) => ({ name: 'abc'[index]!, dataType })),
  rows,
});
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('the document of a chart', () => {
  test('tells thousands of texts apart that begin alike, without keeping anybody waiting', () => {
    const rows = many(5_000).map((n) => ['x'.repeat(300) + n, n, 'y'.repeat(300) + n]);
    const startedMs = performance.now();
    expect(refusalOf({ series: 'c' }, result(rows))).toContain('5000 series');
    expect(new Set(rows.map(([text]) => text).map(createLabels())).size).toBe(5_000);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });

  test('has decimals and wide integers as numbers, and other values as nothing', () => {
    const rows = [
      ['p', '1234.50'],
      ['q', '9007199254740993'],
      ['r', null],
      ['s', 'NaN'],
      ['t', 'Infinity'],
    ];
    const { data } = specOf({}, result(rows, ['STRING', 'DECIMAL(18,2)']));
    expect(data.values.map(({ c1 }) => c1)).toEqual([1234.5, 9007199254740992, null, null, null]);
  });

  test.each([
    ['DATE', '2024-02-29', '2024-02-29T00:00:00Z'],
    ['TIMESTAMP', '2024-02-29T10:00:00.123456', '2024-02-29T10:00:00.123Z'],
    ['TIMESTAMPTZ', '2024-02-29T10:00:00Z', '2024-02-29T10:00:00Z'],
    ['TIMESTAMPTZ', '2024-02-29T10:00:00+02:00', '2024-02-29T08:00:00Z'],
    ['TIMESTAMP_S', '2024-02-29 10:00:00', '2024-02-29T10:00:00Z'],
  ])('shows a %s %s in UTC, wherever the service runs', (dataType, value, instant) => {
    const { data, encoding } = specOf({ kind: 'line' }, result([[value, 1]], [dataType, 'INTEGER']));
    expect(data.values[0]?.['c0']).toBe(Date.parse(instant));
    expect(encoding['x']).toMatchObject({ type: 'temporal', scale: { type: 'utc' } });
  });

  test('leaves the rows of bars in their order', () => {
    const { encoding, data } = specOf({}, result([...'zamb'].map((name, index) => [name, index])));
    expect(encoding['x']).toMatchObject({ type: 'nominal', sort: null });
    expect(data.values.map(({ c0 }) => c0)).toEqual([...'zamb']);
  });

  test.each(['a.b[0]', `datum['x"]\\`, '__proto__', 'constructor', ''])(
    'takes a column called %j for a title, not for a field',
    (name) => {
      const columns = [
        { name, dataType: 'INTEGER' },
        { name: 'y', dataType: 'DOUBLE' },
      ];
      const spec = specOf({ kind: 'scatter', x: name, y: 'y', series: name }, { columns, rows: [[1, 2]] });
      const { x, y, color } = spec.encoding;
      expect([x?.['field'], y?.['field'], color?.['field']]).toEqual(['c0', 'c1', 'c2']);
      expect((x?.['axis'] as { title: string } | undefined)?.title.trim()).toBe(name);
    },
  );

  test('keeps texts apart that differ beyond what is shown of them', () => {
    const { data } = specOf({}, result([...'xyx'].slice(0, 2).map((end) => ['s'.repeat(5_000) + end, 1])));
    const [first, second] = data.values.map(({ c0 }) => String(c0));
    expect(first).toHaveLength(200);
    expect(second).toBe(`${first} (2)`);
  });

  test('bounds a title to 200 characters, and breaks it into lines', () => {
    const { title } = specOf({ title: 'words of a title '.repeat(100) }, result([['a', 1]]));
    expect(title.text.join(' ')).toHaveLength(200);
    expect(title.text.length).toBe(3);
  });
});

describe('what no chart can show is refused, with what to do:', () => {
  const one: [string, Partial<ChartRequest>, ChartResult, string][] = [
    ['no rows', {}, result([]), 'The result has no rows, so there is nothing to draw.'],
    [
      'no values',
      {},
      result([['a', null]]),
      'No row has values for both x and y, so there is nothing to draw.',
    ],
    [
      'an unknown column',
      { x: 'nope' },
      result([['a', 1]], ['STRING', 'INTEGER']),
      'The result has no column “nope”. Its columns are “a”, “b”.',
    ],
    [
      'a y of texts',
      { y: 'c' },
      result([['a', 1, 'x']]),
      'The column “c” has the type STRING, but y must be a column of numbers.',
    ],
    [
      'a pie with series',
      { kind: 'pie', series: 'c' },
      result([['a', 1, 'x']]),
      'A pie cannot have a series. Omit series, or draw bars.',
    ],
    [
      'a pie below zero',
      { kind: 'pie' },
      result([['a', -1]]),
      'A pie cannot show values below zero. Draw bars instead.',
    ],
    [
      'an empty pie',
      { kind: 'pie' },
      result([['a', 0]]),
      'All values are zero, so a pie would have no slices.',
    ],
    [
      'bars in one place',
      {},
      result([
        ['a', 1],
        ['a', 2],
      ]),
      'Several rows have the same x (and series). Group the rows by them first.',
    ],
  ];
  test.each(one)('%s', (_, request, given, message) => {
    expect(refusalOf(request, given)).toBe(message);
  });

  const bounds: [string, ChartKind, number, (n: number) => unknown[], Partial<ChartRequest>][] = [
    ['rows', 'scatter', 5_000, (n) => [n, n], {}],
    ['series', 'line', 50, (n) => [1, n, `s${n}`], { series: 'c' }],
    ['slices', 'pie', 30, (n) => [`x${n}`, n], {}],
    ['categories', 'bar', 200, (n) => [`x${n}`, n], {}],
  ];
  test.each(bounds)('more %s than can be drawn', (what, kind, most, row, more) => {
    const types = [what === 'rows' || what === 'series' ? 'INTEGER' : 'STRING', 'INTEGER', 'STRING'];
    specOf({ kind, ...more }, result(many(most).map(row), types));
    expect(refusalOf({ kind, ...more }, result(many(most + 1).map(row), types))).toBe(
      `The chart would have ${most + 1} ${what}; the limit is ${most}. Group or limit the rows first.`,
    );
  });
});
