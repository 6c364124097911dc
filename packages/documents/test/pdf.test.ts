import { describe, expect, test } from 'vitest';
import { drawnPages, hasProgram, readPdf } from '../../../test/support/documents.ts';
import { chartId, chartSvg, format, png, resultId, resultOf } from './support.ts';

const hasPoppler = hasProgram('pdftoppm');

const textOf = async (pdf: Buffer): Promise<string> =>
  (await readPdf(pdf)).map(({ text }) => text).join('\n');

describe('a PDF', () => {
  test('has title, day, page numbers and every kind of block', async () => {
    const markdown = `Some **bold**, *italic*, ~~struck~~ and \`code\`.

3. three
4. four
   - nested
- [x] done

> quoted

\`\`\`
let a  =  1;
\`\`\`

---

| a | b |
|---|--:|
| x | 7 |

A claim[^1] and a [link](https://example.com/there).

[^1]: Its proof.`;
    const pages = await readPdf(await format('pdf', markdown, undefined, 'Orders by month'));
    expect(pages).toHaveLength(1);
    const [{ text, links }] = pages as [(typeof pages)[0]];
    for (const part of ['Orders by month', '2026-11-21', '1 / 1', 'bold', 'italic', 'struck', 'code'])
      expect(text).toContain(part);
    for (const part of ['3.', '4.', 'nested', '☑', 'quoted', 'let a', 'x', '7', 'claim', 'Its proof.'])
      expect(text).toContain(part);
    expect(links).toContain('https://example.com/there');
  });

  test('has its title once, where the text begins with it', async () => {
    const text = await textOf(await format('pdf', '# Orders\n\nText.', undefined, 'Orders'));
    expect(text.match(/Orders/g)).toHaveLength(1);
  });

  test('has a table of contents beyond five headings, with the pages that they are on', async () => {
    const filler = 'Words and more words. '.repeat(250);
    const chapters = (count: number) =>
      Array.from({ length: count }, (_, index) => `## Chapter ${index + 1}\n\n${filler}`).join('\n\n');
    const few = await readPdf(await format('pdf', chapters(5)));
    expect(few[0]!.text).not.toContain('Contents');
    const pages = await readPdf(await format('pdf', chapters(6)));
    expect(pages[0]!.text).toContain('Contents');
    const lastPage = pages.findIndex(({ text }, index) => index > 0 && text.includes('Chapter 6')) + 1;
    expect(lastPage).toBeGreaterThan(3);
    expect(pages[0]!.text.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`Chapter 6 ?${lastPage}\\b`));
  });

  test('repeats the header of a table on every page that it goes over', async () => {
    const material = { charts: {}, results: { [resultId]: resultOf(300) }, images: {} };
    const pages = await readPdf(await format('pdf', `![All orders](result:${resultId})`, material));
    expect(pages.length).toBeGreaterThan(3);
    for (const { text } of pages) expect(text).toContain('amount');
    expect(pages[0]!.text).toContain('All orders');
    expect(pages.at(-1)!.text).toContain('Region 300');
  });

  test('never breaks a number: a table of 24 columns is drawn in parts that repeat the first one', async () => {
    const names = Array.from({ length: 24 }, (_, index) => (index === 0 ? 'station' : `value_${index}`));
    const numberAt = (row: number, column: number) => `-${1_000_000 + row * 100 + column}.${100 + column}`;
    const rows = Array.from({ length: 5 }, (_, row) =>
      names.map((_name, column) => (column === 0 ? `Station${row}` : numberAt(row, column))),
    );
    const markdown = [names, names.map(() => '--'), ...rows]
      .map((cells) => `| ${cells.join(' | ')} |`)
      .join('\n');
    const text = await textOf(await format('pdf', markdown));
    for (const cell of rows.flat()) expect(text).toContain(cell);
    const parts = text.match(/Station4/g)?.length ?? 0;
    expect(parts).toBeGreaterThan(1);
    expect(text.match(/\bstation\b/g)).toHaveLength(parts);
    // A table that fits with smaller type is not split.
    const few = rows.map((row) => row.slice(0, 10));
    const narrower = [names.slice(0, 10), names.slice(0, 10).map(() => '--'), ...few];
    const whole = await textOf(
      await format('pdf', narrower.map((cells) => `| ${cells.join(' | ')} |`).join('\n')),
    );
    expect(whole.match(/\bstation\b/g)).toHaveLength(1);
  });

  test('turns the page for a table that is too wide for it, and turns back', async () => {
    const names = Array.from({ length: 14 }, (_, index) => `quite_a_long_name_${index}`);
    const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
    const table = [row(names), row(names.map(() => '--')), row(names.map((_, index) => `${index}`))].join(
      '\n',
    );
    const pages = await readPdf(await format('pdf', `Before.\n\n## Wide\n\n${table}\n\n## After\n\nText.`));
    expect(pages.map(({ width, height }) => (width > height ? 'landscape' : 'portrait'))).toEqual([
      'portrait',
      'landscape',
      'portrait',
    ]);
    expect(pages[1]!.text).toContain('Wide');
    expect(pages[2]!.text).toContain('After');
  });

  test.each([
    ['Greek', 'Καλημέρα κόσμε'],
    ['Cyrillic', 'Привет, мир'],
    ['Devanagari', 'नमस्ते'],
    ['Chinese', '汉语简体'],
    ['Japanese', '図書館で働く'],
    ['Korean', '한국어 문장'],
  ])('has text in %s', async (_, words) => {
    const text = await textOf(await format('pdf', `Here: ${words}`));
    const found = text.replaceAll(/\s/g, '');
    // Devanagari characters form ligatures in the font, and are read back in another order.
    for (const character of words.replaceAll(/[\s\p{M}]/gu, '')) expect(found).toContain(character);
  });

  test.each([
    ['Hebrew', 'שלום עולם (123) abc סוף', 'שלום', 'סוף'],
    ['Arabic', 'مرحبا بالعالم (123) abc النهاية', 'مرحبا', 'النهاية'],
  ])(
    'has words of %s from right to left, and numbers and Latin as they are',
    async (_, words, first, last) => {
      const [page] = await readPdf(await format('pdf', words));
      const xOf = (word: string): number => {
        const turned = [...word].reverse().join('');
        const part = page!.parts.find(({ text }) => {
          const plain = text.normalize('NFKC');
          return plain.includes(word) || plain.includes(turned);
        });
        if (part === undefined) throw new Error(`No part holds ${word}: ${JSON.stringify(page!.parts)}`);
        return part.x;
      };
      expect(
        [xOf(first), xOf('123'), xOf('abc'), xOf(last)].map((x, index, all) => x < (all[index - 1] ?? 1e9)),
      ).toEqual([true, true, true, true]);
      // The paragraph is aligned to the right.
      expect(xOf(last)).toBeGreaterThan(page!.width / 2);
    },
  );

  test('draws charts, images and drawings of the project, and fetches nothing', async () => {
    const material = {
      charts: { [chartId]: chartSvg },
      results: {},
      images: { 'img/a b.png': png, 'logo.svg': Buffer.from(chartSvg) },
    };
    const markdown = `![Revenue](chart:${chartId})\n\n![Red](<img/a b.png>)\n\n![Logo](./logo.svg)\n\n![Far](https://example.com/x.png)\n\n![Local](file:///etc/passwd)\n\n![Gone](chart:cht_01kahz3v6dfyvb1s8m3h9q2w4y)`;
    const pdf = await format('pdf', markdown, material);
    const [page] = await readPdf(pdf);
    expect(page!.text.match(/Chart of\s*売上\s*revenue/g)).toHaveLength(2);
    expect(pdf.toString('latin1').match(/\/Subtype \/Image/g)).toHaveLength(1);
    expect(page!.text).toContain('[Local]');
    expect(page!.text).toContain('[Gone]');
    expect(page!.text).toContain('Far');
    expect(page!.links).toEqual(['https://example.com/x.png']);
  });

  test.skipIf(!hasPoppler)('shows ink on every page when it is drawn (needs poppler)', async () => {
    const material = { charts: { [chartId]: chartSvg }, results: { [resultId]: resultOf(120) }, images: {} };
    const markdown = `![Revenue](chart:${chartId})\n\n![Orders](result:${resultId})`;
    const pages = drawnPages(await format('pdf', markdown, material));
    expect(pages.length).toBeGreaterThan(1);
    for (const { ink } of pages) {
      expect(ink).toBeGreaterThan(0.005);
      expect(ink).toBeLessThan(0.6);
    }
  });
});
