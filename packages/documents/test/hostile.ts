import { describe, expect, test } from 'vitest';
import { readDocx, readPdf } from '../../../test/support/documents.ts';
import { format } from './support.ts';

const rows = (count: number) => Array.from({ length: count }, (_, index) => `| ${index} | x |`).join('\n');

/**
 * What a user may write, by mistake or on purpose; each document still opens. Its size is a share of the
 * largest.
 */
const hostileTexts = (share: number): Record<string, string> => ({
  'lists in one line': `${'- '.repeat(999 * share)}deepest`,
  'lists below each other': Array.from(
    { length: 1_000 * share },
    (_, depth) => `${'  '.repeat(depth)}- item ${depth}`,
  ).join('\n'),
  'quotes in quotes': `${'> '.repeat(500 * share)}deepest`,
  'emphasis in emphasis': '*a **b '.repeat(500 * share),
  'one long word': 'x'.repeat(1_000_000 * share),
  'a long table': `| a | b |\n|--|--|\n${rows(3_000 * share)}`,
  'broken tables': '| a | b\n|--\n| c |||| d\n\n|||\n|-|-|\n|\n\n| a |\n|--|\n| 1 | 2 | 3 |',
  'scripts and other HTML':
    '<script>alert(1)</script>\n\n<img src="https://example.com/x.png" onerror="x">\n\ntext',
  'halves of surrogates, NUL and control characters': 'a\ud800b \u0000 \u0007 \udc00 \u202e x \ufffe',
  nothing: '',
  'only a picture that is not there': '![](nowhere.png)',
  'characters that no font has': '\u{1f9ff} \u{10330} ไทย',
  'a footnote in itself': 'a[^1]\n\n[^1]: b[^1] and c[^2]\n\n[^2]: d[^1]',
  'a long heading': `# ${'word '.repeat(5_000 * share)}`,
});

/** Writes each in every format. */
export function openHostileDocuments(share: number): void {
  describe.each(Object.entries(hostileTexts(share)))('%s', (_, markdown) => {
    test('is a document that opens in every format', async () => {
      const pages = await readPdf(await format('pdf', markdown));
      expect(pages.length).toBeGreaterThan(0);
      expect(pages.map(({ text }) => text).join('')).toContain('A report');
      const { text } = await readDocx(await format('docx', markdown));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML may contain none.
      expect(text['word/document.xml']).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
      expect(text['word/document.xml']).toContain('</w:document>');
      expect((await format('markdown', markdown)).toString()).not.toMatch(/(?<!\\)<(?:script|img)\b/);
    });
  });
}
