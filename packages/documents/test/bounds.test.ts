import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readDocx, readPdf } from '../../../test/support/documents.ts';
import { DocumentFault } from '../index.ts';
import { chartId, chartSvg, format, noMaterial, png, resultId, resultOf } from './support.ts';

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(DocumentFault);
  expect((error as DocumentFault).code).toBe('report_too_complex');
  return (error as DocumentFault).message;
}

describe('bounds', () => {
  test('refuse what nests too deep or has too many elements, and say what to do', async () => {
    expect(await refusalOf(format('pdf', `${'> '.repeat(50_000)}x`))).toMatch(/nested .* simplify/);
    expect(await refusalOf(format('pdf', `${'a\\\n'.repeat(4_000)}\n`.repeat(20)))).toMatch(
      /more than 150,000 elements.*Split it/,
    );
  });

  /** Texts whose parsing would take a time that grows with the square of their length. */
  const dense: readonly [what: string, unit: string, reason: RegExp][] = [
    ['emphasis', '**a_', /more than 1,000 marks of emphasis.*Split it/],
    ['strikethrough', '~a', /more than 1,000 marks of emphasis/],
    ['brackets', '[a](b', /more than 500 brackets/],
    ['comments', 'a <!-- ', /more than 200 signs "<"/],
    ['lines', 'b a\n', /more than 5,000 lines/],
    ['quotes', '> a\n\n', /nested or repeated/],
    ['lists', 'a\n\n-\n\n', /nested or repeated/],
    ['footnotes', '[^a]: b\n\nc\n\n', /nested or repeated/],
    ['underlined headings', 'a\n=\n', /nested or repeated/],
    ['quotes in quotes', `${'> '.repeat(200)}a\n`, /nested or repeated/],
  ];
  test.each(dense)('refuse a text of %s alone at once, and say why', async (_, unit, reason) => {
    const markdown = unit.repeat(Math.floor(199_000 / unit.length));
    expect(await refusalOf(format('markdown', markdown))).toMatch(reason);
  });

  test('let long texts pass that use a little of each', async () => {
    const part =
      '## Title\n\n**Bold** and _italic_ [link](https://example.com) `code` ~~gone~~.\n\n- a\n- b\n\n> quoted\n\n';
    expect((await format('markdown', part.repeat(600))).length).toBeGreaterThan(50_000);
    const row = `| ${'**a** | '.repeat(8)}\n`;
    expect(
      (await format('markdown', `${row}${'|-'.repeat(8)}|\n${row.repeat(1_000)}`)).length,
    ).toBeGreaterThan(60_000);
  });
});

describe('images', () => {
  const broken: Record<string, Buffer> = {
    'cut off': png.subarray(0, 50),
    'with broken pixels': Buffer.concat([png.subarray(0, 45), Buffer.alloc(8, 7), png.subarray(53)]),
    'that are text': Buffer.from('not an image'),
    'with an entity': Buffer.from('<!DOCTYPE svg [<!ENTITY x "y">]><svg width="1" height="1">&x;</svg>'),
    'without a size': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    'of a giant size': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9999999" height="1"/>'),
  };
  test.each(Object.entries(broken))('%s are shown by their words', async (_, bytes) => {
    const material = { ...noMaterial, images: { 'a.png': bytes } };
    const [page] = await readPdf(await format('pdf', '![My words](a.png)', material));
    expect(page!.text).toContain('[My words]');
    expect((await readDocx(await format('docx', '![My words](a.png)', material))).names.join()).not.toContain(
      'media/',
    );
  });

  test('whose pixels or camera data are broken leave a document that opens', async () => {
    const chunk = (type: string, bytes: Buffer) => {
      const head = Buffer.alloc(8);
      head.writeUInt32BE(bytes.length, 0);
      head.write(type, 4, 'latin1');
      const body = Buffer.concat([head.subarray(4), bytes]);
      const sum = Buffer.alloc(4);
      sum.writeUInt32BE(crc32(body), 0);
      return Buffer.concat([head.subarray(0, 4), body, sum]);
    };
    // Two pixels with transparency, each line with filter type none.
    const header = Buffer.from([0, 0, 0, 2, 0, 0, 0, 1, 8, 6, 0, 0, 0]);
    const filtered = Buffer.concat([
      png.subarray(0, 8),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(Buffer.from([9, 255, 0, 0, 255, 255, 0, 0, 128]))),
      chunk('IEND', Buffer.alloc(0)),
    ]);
    const camera = Buffer.concat([
      Buffer.from('ffd8ffe1001045786966000049492a00ffffffff', 'hex'),
      Buffer.from('ffc0000b080001000101011100ffd9', 'hex'),
    ]);
    for (const bytes of [filtered, camera]) {
      const material = { ...noMaterial, images: { 'a.img': bytes } };
      for (const make of ['pdf', 'docx'] as const)
        expect((await format(make, 'Text ![My words](a.img)', material)).length).toBeGreaterThan(1_000);
      const [page] = await readPdf(await format('pdf', 'Text ![My words](a.img)', material));
      expect(page!.text).toContain('Text');
    }
  });

  test('that are drawings keep their shapes, and nothing that loads or runs', async () => {
    const svg = chartSvg.replace(
      '</svg>',
      '<script>alert(1)</script><image href="/etc/hostname"/><image href="https://example.com/x"/><foreignObject><p>x</p></foreignObject><use href="#a"/><rect style="fill:url(https://example.com)" onclick="x" width="3" height="3"/></svg>',
    );
    const markdown = (
      await format('markdown', '![Logo](logo.svg)', {
        ...noMaterial,
        images: { 'logo.svg': Buffer.from(svg) },
      })
    ).toString();
    const shown = Buffer.from(/base64,([^)]+)\)/.exec(markdown)![1]!, 'base64').toString();
    expect(shown).toContain('<path');
    expect(shown).not.toMatch(/script|<image|example\.com|foreignObject|onclick|<use/);
  });
});

describe('the self-contained Markdown', () => {
  test('has rows as tables, charts and images in it, and says what was cut', async () => {
    const material = {
      charts: { [chartId]: chartSvg },
      results: { [resultId]: { ...resultOf(3), isCut: true } },
      images: { 'a.png': png },
    };
    const markdown = `Look: ![Rows](result:${resultId})\n\n> ![Chart](chart:${chartId})\n\n![Red][red]\n\n[red]: a.png`;
    const text = (await format('markdown', markdown, material)).toString();
    expect(text).toContain('| Region 3 | 20 |');
    expect(text).toContain('Shown: the first 3 rows.');
    expect(text).toMatch(/> !\[Chart\]\(data:image\/svg\+xml;base64,/);
    expect(text).toContain(`![Red](data:image/png;base64,${png.toString('base64')})`);
  });
});
