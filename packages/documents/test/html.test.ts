import { expect, test } from 'vitest';
import { makeDocument, type ReportMaterial } from '../index.ts';

const htmlOf = async (markdown: string, material: Partial<ReportMaterial> = {}): Promise<string> => {
  const source = { title: 'A report', markdown, writtenAt: '2026-11-21T08:30:00.000Z' };
  const all = { charts: {}, results: {}, images: {}, ...material };
  return Buffer.from(await makeDocument('html', source, async () => all)).toString();
};

const chart = 'cht_01kahz3v6dfyvb1s8m3h9q2w4x';
const result = 'res_01kahz3v6dfyvb1s8m3h9q2w4x';

test.each([
  ['# One\n\n###### Six', '<h2>One</h2>\n<h6>Six</h6>'],
  ['*a* **b** ~~c~~ `d<e`', '<p><em>a</em> <strong>b</strong> <del>c</del> <code>d&lt;e</code></p>'],
  ['```\n<x>\n```', '<pre><code>&lt;x&gt;</code></pre>'],
  ['> a', '<blockquote><p>a</p></blockquote>'],
  ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
  ['- [x] a\n- [ ] b', '<ul><li>☑ a</li><li>☐ b</li></ul>'],
  ['a\n\n---\n\nb', '<p>a</p>\n<hr>\n<p>b</p>'],
  [
    '[a](https://example.com/?q="x"&y)',
    '<p><a href="https://example.com/?q=&quot;x&quot;&amp;y" rel="noopener noreferrer nofollow" target="_blank">a</a></p>',
  ],
  ['a[^1]\n\n[^1]: the note', '<p>a<sup>1</sup></p><hr><ol><li><p>the note</p></li></ol>'],
])('%j is written as HTML', async (markdown, html) => {
  expect(await htmlOf(markdown)).toBe(html);
});

test('tables, results and charts are in it', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  const rows = { title: 'Rows', columns: [{ name: 'n', dataType: 'DOUBLE' }], columnCount: 1, isCut: true };
  const html = await htmlOf(
    `| a | b |\n|---|--:|\n| <i> | 2 |\n\n![Rows](result:${result})\n\n![A "chart"](chart:${chart})`,
    { charts: { [chart]: svg }, results: { [result]: { ...rows, rows: [['1']] } } },
  );
  expect(html).toContain('<tr><td class="left">&lt;i&gt;</td><td class="right">2</td></tr>');
  expect(html).toContain('<caption>Rows</caption>');
  expect(html).toContain('<p class="note">Shown: the first 1 rows.</p>');
  expect(html).toMatch(/<img alt="A &quot;chart&quot;" src="data:image\/svg\+xml;base64,[\w+/=]+">/);
});

test('nothing in it executes or loads', async () => {
  const html = await htmlOf(
    '<script>alert(1)</script>\n\na <img src=x onerror=alert(1)> [b](javascript:alert(1)) ![c](https://example.com/c.png)',
  );
  expect(html).not.toMatch(/<script|<img|"javascript:/);
  expect(html).toContain('&lt;script&gt;');
});
