import { describe, expect, test } from 'vitest';
import { type ChartRequest, chartKinds, chartPng, chartSpec, chartSvg, DocumentFault } from '../../index.ts';

const columns = [
  { name: 'month', dataType: 'DATE' },
  { name: 'revenue', dataType: 'DECIMAL(10,2)' },
  { name: 'region', dataType: 'STRING' },
];
const rows = ['2024-01-01', '2024-02-01', '2024-03-01'].map((month, index) => [
  month,
  `${index + 1}.50`,
  'N',
]);

function draw(request: Partial<ChartRequest>, result = { columns, rows: rows as unknown[][] }) {
  const whole = { kind: 'bar', x: 'month', y: 'revenue', title: 'Revenue', ...request } as const;
  return chartSvg(chartSpec(whole, result));
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(DocumentFault);
  expect((error as DocumentFault).code).toBe('drawing_refused');
  return (error as DocumentFault).message;
}

/** Width and height follow the signature and the header's name. */
function sizeOf(png: Buffer): [number, number] {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

async function pngOf(svg: string): Promise<Buffer> {
  return Buffer.from(await chartPng(svg));
}

describe('a chart', () => {
  test.each(chartKinds)('of the kind %s is drawn, as SVG and at twice its size as PNG', async (kind) => {
    const svg = await draw({ kind });
    expect(svg).toContain('>Revenue</text>');
    const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
    const png = await pngOf(svg);
    expect(sizeOf(png)).toEqual([2 * Number(width), 2 * Number(height)]);
  });

  test('with series has a legend, and its parts in the order of it', async () => {
    const given = rows.flatMap(([month]) => [
      [month, '1', 'Z'],
      [month, '2', 'A'],
    ]);
    for (const kind of ['bar', 'line', 'area', 'scatter'] as const) {
      const svg = await draw({ kind, series: 'region' }, { columns, rows: given });
      expect(svg).toContain('>region</text>');
      expect(svg).toContain('>Z</text>');
    }
  });

  test('draws 5,000 rows', async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => [
      new Date(index * 86_400_000).toISOString().slice(0, 10),
      String(Math.sin(index / 300) * 1e6),
      `series ${index % 50}`,
    ]);
    for (const kind of ['line', 'area', 'scatter'] as const) {
      const series = kind === 'area' ? {} : { series: 'region' };
      const svg = await draw({ kind, ...series }, { columns, rows: many });
      expect(sizeOf(await pngOf(svg))[0]).toBeGreaterThan(1_280);
    }
  });

  test('has gaps, extremes and single values', async () => {
    const values = [
      [null, '1', null],
      ['2024-01-01', null, 'N'],
      ['2024-01-02', '1e308', 'N'],
      ['2024-01-03', '-1e308', 'N'],
    ];
    for (const kind of ['bar', 'line', 'area', 'scatter'] as const)
      expect(await draw({ kind, series: 'region' }, { columns, rows: values })).toContain('<svg');
    expect(await draw({ kind: 'line' }, { columns, rows: rows.slice(0, 1) })).toContain('<svg');
  });
});

const hostile = [
  '<script>alert(1)</script>',
  ']]>',
  'a & b &amp; &#x41;',
  '"><image href="file:///etc/passwd"/>',
  "</text></svg><foreignObject/>'",
  'datum.c1 + (() => { while (true) {} })()',
  '__proto__',
  'constructor',
  'toString',
  'nul \u0000 bell \u0007 half \ud800 end',
  '',
];

describe('text that means harm', () => {
  test.each(hostile)('%j is shown as it is', async (text) => {
    const shown = [
      { name: text, dataType: 'STRING' },
      { name: 'revenue', dataType: 'INTEGER' },
    ];
    for (const kind of chartKinds) {
      const other = {
        columns: shown,
        rows: [
          [text, 1],
          ['other', 2],
        ],
      };
      const series = kind === 'pie' ? {} : { series: text };
      const svg = await draw({ kind, x: text, title: text, ...series }, other);
      expect(svg).not.toMatch(/<(?:script|image|foreignObject|a|use)\b/);
      expect(svg.match(/<\/svg>/g)).toHaveLength(1);
      sizeOf(await pngOf(svg));
      const plain = unescaped(svg);
      if (!text.includes('\u0000')) expect(plain).toContain(text.slice(0, 12));
    }
  });

  test('is refused where a drawing holds anything but shapes', async () => {
    const svg = await draw({});
    for (const element of [
      '<image href="/etc/hostname"/>',
      '<script/>',
      '<a/>',
      '<style/>',
      '<!ENTITY x "y">',
    ])
      expect(await refusalOf(pngOf(svg.replace('</svg>', `${element}</svg>`)))).toBe(
        "The drawing contains elements that aren't allowed in a chart.",
      );
  });
});

function unescaped(svg: string): string {
  return svg
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

describe('the drawing', () => {
  const document = () => chartSpec({ kind: 'bar', x: 'month', y: 'revenue', title: 'T' }, { columns, rows });

  test('loads nothing, whatever the document says', async () => {
    for (const url of ['file:///etc/hostname', '/etc/hostname', 'http://127.0.0.1:9/x', 'data:,a'])
      expect(await refusalOf(chartSvg({ ...document(), data: { url } }))).toBe(
        "The chart couldn't be drawn.",
      );
  });

  test('bounds what a drawing may weigh', async () => {
    const label = { type: 'text', text: 'x'.repeat(1_000) };
    const sequence = { sequence: { start: 0, stop: 4_000, as: 'c0' } };
    expect(await refusalOf(chartSvg({ data: sequence, mark: label }))).toBe(
      'The drawing is larger than 2 MiB. Group or limit the rows first.',
    );
  });

  test('bounds the size of an image', async () => {
    const svg = (await draw({})).replace(/width="\d+"/, 'width="200000"').replace(/viewBox="[^"]*"/, '');
    expect(await refusalOf(pngOf(svg))).toBe('The drawing is more than 4096 pixels wide or high.');
  });
});
