import { expect, test } from 'vitest';
import { mailPage, mailText, makeMailPart, pageOf, type ReportMaterial } from '../index.ts';

const bounds = { htmlBytes: 90_000, pictureBytes: 1_000_000, tableRows: 50 };
const chart = 'cht_01kahz3v6dfyvb1s8m3h9q2w4x';
const result = 'res_01kahz3v6dfyvb1s8m3h9q2w4x';
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="300"><text>ä</text></svg>';

const partOf = (markdown: string, change: object = {}, material: Partial<ReportMaterial> = {}) => {
  const source = { title: 'A "report"', markdown, writtenAt: '2026-11-21T08:30:00.000Z' };
  const all = { charts: { [chart]: svg }, results: {}, images: {}, ...material };
  return makeMailPart(source, { ...bounds, ...change }, async () => all);
};
/** Without styles, which no test is about. */
const bare = (html: string) =>
  html.replaceAll(/ (?:style|rel|valign|cellpadding|cellspacing|border|width|height|bgcolor)="[^"]*"/g, '');

test('a report has a heading, and everything that Markdown has', async () => {
  const { html, pictures, isCut } = await partOf(
    '## One\n\n*a* **b** ~~c~~ `d<e`\n\n> quoted\n\n3. x\n4. y\n\n- [x] done\n\n| a | b |\n|---|--:|\n| <i> | 2 |\n\n[link](https://example.com/?q="x"&y)[^1]\n\n---\n\n```\n<x>\n```\n\n[^1]: the note',
  );
  expect([isCut, pictures]).toEqual([false, []]);
  for (const part of [
    '<h1>A &quot;report&quot;</h1>',
    '<h2>One</h2>',
    '<p><i>a</i> <b>b</b> <del>c</del> <code>d&lt;e</code></p>',
    '<table role="presentation"><tr><td><p>quoted</p></td></tr></table>',
    '<ol start="3"><li>x</li><li>y</li></ol>',
    '<li>☑ done</li>',
    '<th align="right">b</th>',
    '<td align="left">&lt;i&gt;</td><td align="right">2</td>',
    '<a href="https://example.com/?q=&quot;x&quot;&amp;y">link</a><sup>1</sup>',
    '<pre>&lt;x&gt;</pre>',
    '<ol start="1"><li>the note</li></ol>',
  ])
    expect(bare(html)).toContain(part);
});

test('charts are PNGs, each once, as wide as the mail at most', async () => {
  const { html, pictures } = await partOf(`![A "chart"](chart:${chart})\n\n![Again](chart:${chart})`);
  const [picture, ...others] = pictures;
  expect(others).toEqual([]);
  expect(Buffer.from(picture!.bytes).subarray(1, 4).toString()).toBe('PNG');
  // Twice as many pixels as are shown.
  expect(Buffer.from(picture!.bytes).readUInt32BE(16)).toBe(2 * 632);
  expect(html).toContain(`<img src="cid:${picture!.cid}" width="632" height="211" alt="A &quot;chart&quot;"`);
  const page = pageOf('Page', { html, pictures, isCut: false });
  expect(page).not.toContain('cid:');
  expect(page.match(/src="data:image\/png;base64,/g)).toHaveLength(2);
});

test('pictures that have no room are shown by their words', async () => {
  const { html, pictures, isCut } = await partOf(`> ![Up](chart:${chart})\n\nafter`, { pictureBytes: 10 });
  expect([pictures, isCut]).toEqual([[], true]);
  expect(html).toContain('[Up]');
  expect(html).toContain('after');
});

test('of a long table the first rows are shown, and what comes after it', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => [`row ${index}`]);
  const table = {
    title: '',
    columns: [{ name: 'n', dataType: 'STRING' }],
    columnCount: 1,
    rows,
    isCut: true,
  };
  const { html, isCut } = await partOf(
    `![Rows](result:${result})\n\nafter`,
    {},
    { results: { [result]: table } },
  );
  expect(isCut).toBe(true);
  expect(html).toContain('row 49');
  expect(html).not.toContain('row 50');
  expect(html).toContain('Shown: the first 50 rows.');
  expect(html).toContain('after');
});

const long = 'ä"&<>'.repeat(20_000);
test.each([
  ['a paragraph', long.replaceAll('<', '')],
  ['code', `\`\`\`\n${long}\n\`\`\``],
  ['a list', Array.from({ length: 5_000 }, (_, index) => `- item ${index} <b>`).join('\n')],
  ['a quote', Array.from({ length: 3_000 }, (_, index) => `> word ${index}\n>`).join('\n')],
  ['paragraphs', Array.from({ length: 3_000 }, (_, index) => `word ${index}`).join('\n\n')],
  ['a table', `| a |\n|---|\n${Array.from({ length: 3_000 }, (_, index) => `| ${index} |`).join('\n')}`],
  ['a heading', `# ${'x'.repeat(900)}\n\n`.repeat(200)],
])('%s never exceeds the bounds, and begins anyway', async (_name, markdown) => {
  for (const htmlBytes of [3_000, 50_000, 90_000]) {
    const { html, isCut } = await partOf(markdown, { htmlBytes, tableRows: 10_000 });
    expect(isCut).toBe(true);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(htmlBytes);
    expect(Buffer.byteLength(html)).toBeGreaterThan(htmlBytes / 8);
    // Everything that was opened is closed.
    for (const name of ['p', 'ul', 'li', 'table', 'tr', 'td', 'pre', 'h1'])
      expect(html.split(`<${name} `).length + html.split(`<${name}>`).length).toBe(
        html.split(`</${name}>`).length + 1,
      );
  }
});

const attacks = [
  '<script>alert(1)</script>',
  'a <img src=x onerror=alert(1)> b',
  '[b](javascript:alert(1))',
  '[b](data:text/html,x)',
  '![c](https://example.com/c.png)',
  '" onload="alert(1)',
  '<style>*{display:none}</style>',
  '![x](cid:other)',
  '[x](https://example.com/"onmouseover="alert(1))',
];
test.each(attacks)('nothing in %j executes or loads', async (attack) => {
  const table = {
    title: attack,
    columns: [{ name: attack, dataType: 'STRING' }],
    columnCount: 1,
    isCut: false,
  };
  const source = {
    title: attack,
    markdown: `${attack}\n\n# ${attack}\n\n![${attack}](result:${result})`,
    writtenAt: '',
  };
  const material = { charts: {}, results: { [result]: { ...table, rows: [[attack]] } }, images: {} };
  const part = await makeMailPart(source, bounds, async () => material);
  const html = mailPage(attack, [mailText(attack, 1_000).html, part.html]);
  const tags = html.match(/<[^>]*>/g) ?? [];
  const known =
    /^<(!doctype|\/?(html|head|meta|title|body|table|tr|td|th|p|b|h1|h2|h3|a|ol|ul|li|pre|code|sup|i|del|br|hr)\b)/;
  expect(tags.filter((tag) => !known.test(tag))).toEqual([]);
  expect(
    tags.filter((tag) =>
      / on\w+=| src=|javascript:|data:|url\(/i.test(
        tag.replaceAll(/"[^"]*"/g, (value) => (value.startsWith('"https:') ? '""' : value)),
      ),
    ),
  ).toEqual([]);
});

test('text is paragraphs and lines, and is cut within the bounds', () => {
  expect(bare(mailText('a <b>\nb\r\n\n\n c', 1_000).html)).toBe('<p>a &lt;b&gt;<br>b</p>\n<p>c</p>');
  const { html, isCut } = mailText('\n\n'.repeat(10) + '<🎉>\n'.repeat(40_000), 50_000);
  expect(isCut).toBe(true);
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(50_000);
  expect(html.isWellFormed()).toBe(true);
});

test('marks that turn the direction of text are left out', async () => {
  const { html } = await partOf('a\u202eb\u2066c');
  expect(html).toContain('abc');
});
