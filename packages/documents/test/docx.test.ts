import { describe, expect, test } from 'vitest';
import { hasProgram, officePdf, readDocx, readPdf } from '../../../test/support/documents.ts';
import { chartId, chartSvg, format, png, resultId, resultOf } from './support.ts';

const hasOffice = hasProgram('soffice');

const documentOf = async (docx: Buffer): Promise<string> => (await readDocx(docx)).text['word/document.xml']!;

describe('a DOCX', () => {
  test('has headings, lists, tables with headers that repeat, links and footnotes in Word’s own terms', async () => {
    const markdown = `## Part

1. one
   - nested

| a | b |
|---|--:|
| x | 7 |

A claim[^1] with **weight**, [there](https://example.com/there).

[^1]: Its proof.`;
    const { names, text } = await readDocx(await format('docx', markdown, undefined, 'Orders'));
    expect(names).toContain('[Content_Types].xml');
    const body = text['word/document.xml']!;
    expect(body).toContain('<w:pStyle w:val="Heading2"/>');
    expect(body).toContain('<w:pStyle w:val="Title"/>');
    expect(body.match(/<w:numPr>/g)).toHaveLength(2);
    expect(body).toContain('<w:tblHeader/>');
    expect(body).toContain('<w:footnoteReference w:id="1"/>');
    expect(text['word/footnotes.xml']).toContain('Its proof.');
    expect(text['word/_rels/document.xml.rels']).toContain('https://example.com/there');
    expect(Object.values(text).join('')).toContain('NUMPAGES');
  });

  test('has charts as SVG with an image beside it, and images of the project', async () => {
    const material = { charts: { [chartId]: chartSvg }, results: {}, images: { 'a.png': png } };
    const markdown = `![Revenue](chart:${chartId})\n\n![Red](a.png)\n\n![Far](https://example.com/x.png)`;
    const { names, text } = await readDocx(await format('docx', markdown, material));
    expect(names.filter((name) => name.endsWith('.svg'))).toHaveLength(1);
    expect(names.filter((name) => name.endsWith('.png'))).toHaveLength(2);
    expect(text['word/document.xml']).toContain('asvg:svgBlip');
    expect(text['word/_rels/document.xml.rels']).toContain('https://example.com/x.png');
    expect(text['word/_rels/document.xml.rels']).not.toMatch(/image"[^>]*TargetMode="External"/);
  });

  test('has a table of contents beyond five headings, and text from right to left marked so', async () => {
    const six = Array.from({ length: 6 }, (_, index) => `## Chapter ${index + 1}\n\nText.`).join('\n\n');
    const body = await documentOf(await format('docx', `${six}\n\nשלום עולם`));
    expect(body).toContain('TOC \\');
    expect(body).toContain('<w:bidi/>');
    expect(body).toContain('<w:rtl/>');
    expect(
      await documentOf(await format('docx', six.slice(0, -20).replace('## Chapter 6', ''))),
    ).not.toContain('TOC \\');
  });

  test('is turned for a table that is too wide', async () => {
    const names = Array.from({ length: 14 }, (_, index) => `quite_a_long_name_${index}`);
    const table = `| ${names.join(' | ')} |\n|${'--|'.repeat(14)}\n| ${names.join(' | ')} |`;
    const body = await documentOf(await format('docx', `Before.\n\n${table}\n\nAfter.`));
    expect(body.match(/w:orient="landscape"/g)).toHaveLength(1);
    expect(body.match(/<w:sectPr/g)).toHaveLength(3);
  });

  test.skipIf(!hasOffice)(
    'is laid out by LibreOffice with all of its text (needs soffice)',
    async () => {
      const six = Array.from({ length: 6 }, (_, index) => `## Chapter ${index + 1}\n\nText.`).join('\n\n');
      const material = { charts: { [chartId]: chartSvg }, results: { [resultId]: resultOf(90) }, images: {} };
      const markdown = `${six}\n\n![Revenue](chart:${chartId})\n\n![Orders](result:${resultId})`;
      const pages = await readPdf(officePdf(await format('docx', markdown, material, 'Opened')));
      expect(pages.length).toBeGreaterThan(2);
      expect(pages[0]!.text).toContain('Opened');
      expect(pages[0]!.text).toMatch(/Chapter 6\.*\s*1/);
      expect(pages.at(-1)!.text).toContain('Region 90');
      expect(pages.at(-1)!.text).toContain('amount');
    },
    120_000,
  );
});
