import type { Block, ListItem, ReportBlocks, TableBlock } from './block.ts';
import type { ReportSource } from './contract.ts';
import type { Run, Shown } from './inlines.ts';

/**
 * The blocks as a part of an HTML page, without styles, scripts, ids or anything to load: pictures are in it.
 * Its headings begin at the second level, below the title of the page.
 */
export async function htmlOf(_source: ReportSource, { blocks, notes }: ReportBlocks): Promise<Uint8Array> {
  const footnotes =
    notes.length === 0 ? '' : `<hr><ol>${notes.map((note) => `<li>${many(note)}</li>`).join('')}</ol>`;
  return Buffer.from(many(blocks) + footnotes);
}

const many = (blocks: readonly Block[]): string => blocks.map(one).join('\n');

function one(block: Block): string {
  switch (block.type) {
    case 'heading': {
      const name = `h${Math.min(6, block.level + 1)}`;
      return `<${name}>${inline(block.runs)}</${name}>`;
    }
    case 'paragraph':
      return `<p>${inline(block.runs)}</p>`;
    case 'code':
      return `<pre><code>${escaped(block.text)}</code></pre>`;
    case 'quote':
      return `<blockquote>${many(block.blocks)}</blockquote>`;
    case 'list': {
      const items = block.items.map((item) => listItem(item, block.isTight)).join('');
      return block.isOrdered ? `<ol start="${block.start}">${items}</ol>` : `<ul>${items}</ul>`;
    }
    case 'table':
      return table(block);
    case 'rule':
      return '<hr>';
    case 'picture':
      return picture(block.shown, block.alt);
  }
}

function listItem({ isChecked, blocks }: ListItem, isTight: boolean): string {
  const box = isChecked === undefined ? '' : isChecked ? '☑ ' : '☐ ';
  const [first, ...rest] = blocks;
  if (isTight && first?.type === 'paragraph') return `<li>${box}${inline(first.runs)}${many(rest)}</li>`;
  return `<li>${box}${many(blocks)}</li>`;
}

function table({ title, align, header, rows, remark }: TableBlock): string {
  if (header.length === 0) return '';
  const row = (cells: readonly Run[][], name: 'th' | 'td') =>
    `<tr>${cells.map((cell, index) => `<${name} class="${align[index]}">${inline(cell)}</${name}>`).join('')}</tr>`;
  const caption = title === undefined || title === '' ? '' : `<caption>${escaped(title)}</caption>`;
  const note = remark === undefined ? '' : `<p class="note">${escaped(remark)}</p>`;
  return `<div class="table"><table>${caption}<thead>${row(header, 'th')}</thead><tbody>${rows
    .map((cells) => row(cells, 'td'))
    .join('')}</tbody></table></div>${note}`;
}

function picture(shown: Shown, alt: string): string {
  if (shown.kind === 'result') return '';
  const [type, bytes] =
    shown.kind === 'drawing'
      ? ['svg+xml', Buffer.from(shown.drawing.svg)]
      : [shown.picture.type === 'png' ? 'png' : 'jpeg', Buffer.from(shown.picture.bytes)];
  return `<p><img alt="${escaped(alt)}" src="data:image/${type};base64,${bytes.toString('base64')}"></p>`;
}

const inline = (runs: readonly Run[]): string => runs.map(styled).join('');

/** The address of a link is one of the web or of mail, or it would not be in the run. */
function styled({ text, isBold, isItalic, isStruck, isCode, href, note }: Run): string {
  let shown = escaped(text).replaceAll('\n', '<br>');
  if (note !== undefined) return `<sup>${shown}</sup>`;
  if (isCode === true) shown = `<code>${shown}</code>`;
  if (isStruck === true) shown = `<del>${shown}</del>`;
  if (isItalic === true) shown = `<em>${shown}</em>`;
  if (isBold === true) shown = `<strong>${shown}</strong>`;
  if (href === undefined) return shown;
  return `<a href="${escaped(href)}" rel="noopener noreferrer nofollow" target="_blank">${shown}</a>`;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character]!);
