import { expect, test } from 'vitest';
import { selfContained } from '../src/markdown.ts';
import { readMarkdown } from '../src/tree.ts';

const written = (markdown: string) =>
  selfContained(readMarkdown(markdown), { charts: {}, results: {}, images: {} }).trim();

test.each([
  '[go](javascript:alert(1))',
  '[go](JaVaScRiPt:alert(1))',
  '[go](<java&#10;script:alert(1)>)',
  '[go](&#1;javascript:alert(1))',
  '[go](<&#x20;javascript:alert(1)>)',
  '[go](javascript&colon;alert(1))',
  '[go](data:text/html;base64,PHNjcmlwdD4=)',
  '[go](vbscript:msgbox(1))',
  '[go](file:///etc/passwd)',
  '[go][there]\n\n[there]: javascript:alert(1)',
  '[go][]\n\n[go]: data:text/html,x',
])('a link that could run something is its words alone: %s', (markdown) => {
  expect(written(markdown)).toBe('go');
});

test('an autolink that could run something is text', () => {
  expect(written('<javascript:alert(1)>')).not.toMatch(/<javascript|\]\(/);
});

test.each([
  '[go](https://example.com/a?b=c:d#e)',
  '[go](mailto:ada@example.com)',
  '[go](#chapter)',
  '[go](other.md)',
  '[go](./folder/a:b.md)',
  '[go][there]\n\n[there]: https://example.com',
])('every other link stays: %s', (markdown) => {
  expect(written(markdown)).toBe(markdown);
});
