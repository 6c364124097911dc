import type { Block, ListItem, TableBlock } from '../block.ts';
import type { Run, Shown } from '../inlines.ts';
import { cutText, escaped, font, ink, line, mailNote, textStyle } from './page.ts';
import type { PlacedPicture } from './pictures.ts';

const headingSizes = [20, 18, 16, 15, 14, 14];
const codeFont = 'font-family:Consolas,Menlo,monospace';
const cellStyle = `border-top:1px solid ${line};${font};font-size:13px;line-height:1.4;${ink}`;
const around = 'cellpadding="0" cellspacing="0" border="0"';

export interface Writing {
  tableRows: number;
  place(shown: Shown): PlacedPicture | undefined;
}

/** What is written of a block. */
export interface Written {
  html: string;
  /** Whether nothing was left out. */
  isWhole: boolean;
  /** Whether there was no room for the rest of it, so that nothing can follow. */
  isFull: boolean;
}

const nothing: Written = { html: '', isWhole: false, isFull: true };
export const allOf = (html: string): Written => ({ html, isWhole: true, isFull: false });

/** Writes blocks as HTML of mails, each within the bytes that are left. */
export function mailWriter({ tableRows, place }: Writing) {
  const many = (blocks: readonly Block[], bytes: number): Written =>
    inOrder(blocks, bytes, (block, left) => one(block, left));

  function one(block: Block, bytes: number): Written {
    switch (block.type) {
      case 'heading':
        return whole(heading(block.level, inline(block.runs)), bytes);
      case 'paragraph':
        return paragraph(block.runs, bytes);
      case 'code':
        return code(block.text, bytes);
      case 'quote':
        return within(
          `<table role="presentation" ${around} width="100%" style="margin:0 0 12px"><tr><td style="border-left:3px solid ${line};padding:0 0 0 12px">`,
          '</td></tr></table>',
          bytes,
          (left) => many(block.blocks, left),
        );
      case 'list':
        return list(block, bytes);
      case 'table':
        return table(block, bytes);
      case 'rule':
        return whole(`<hr style="border:0;border-top:1px solid ${line};margin:16px 0">`, bytes);
      case 'picture':
        return picture(block.shown, block.alt, bytes);
    }
  }

  function list({ isOrdered, isTight, start, items }: Block & { type: 'list' }, bytes: number): Written {
    const style = 'style="margin:0 0 12px;padding:0 0 0 24px"';
    const [before, after] = isOrdered
      ? [`<ol start="${start}" ${style}>`, '</ol>']
      : [`<ul ${style}>`, '</ul>'];
    return within(before, after, bytes, (left) =>
      inOrder(items, left, (item, room) => listItem(item, isTight, room)),
    );
  }

  function listItem({ isChecked, blocks }: ListItem, isTight: boolean, bytes: number): Written {
    const box = isChecked === undefined ? '' : isChecked ? '☑ ' : '☐ ';
    const [first, ...rest] = blocks;
    const isLine = isTight && first?.type === 'paragraph';
    const text = isLine ? inline(first.runs) : '';
    const style = `margin:0 0 4px;${font};font-size:14px;line-height:1.5;${ink}`;
    return within(`<li style="${style}">${box}${text}`, '</li>', bytes, (left) =>
      many(isLine ? rest : blocks, left),
    );
  }

  function table({ title, align, header, rows, remark }: TableBlock, bytes: number): Written {
    if (header.length === 0) return allOf('');
    const row = (cells: readonly Run[][], isHead = false) =>
      `<tr>${cells.map((cell, at) => cellOf(cell, align[at] ?? 'left', isHead)).join('')}</tr>`;
    const shown = rows.slice(0, tableRows);
    const caption =
      title === undefined || title === '' ? '' : `<p style="${textStyle}"><b>${escaped(title)}</b></p>`;
    const before = `${caption}<table cellpadding="6" cellspacing="0" border="0" width="100%" style="margin:0 0 12px;border-collapse:collapse">${row(header, true)}`;
    const note = (count: number) =>
      count === rows.length && remark !== undefined
        ? mailNote(remark)
        : count < rows.length
          ? mailNote(`Shown: the first ${count.toLocaleString('en')} rows.`)
          : '';
    const room = bytes - Math.max(note(rows.length).length, note(0).length + 20);
    let count = 0;
    const written = within(before, '</table>', room, (left) =>
      inOrder(shown, left, (cells, rest) => {
        const { html, ...others } = whole(row(cells), rest);
        if (html !== '') count += 1;
        return { html, ...others };
      }),
    );
    if (written.html === '') return nothing;
    return { ...written, html: written.html + note(count), isWhole: count === rows.length };
  }

  function picture(shown: Shown, alt: string, bytes: number): Written {
    if (shown.kind === 'result') return allOf('');
    const words = alt.slice(0, 300);
    // Otherwise the picture would be sent without being shown.
    if (bytes < Buffer.byteLength(escaped(words)) + 600) return nothing;
    const placed = place(shown);
    if (placed === undefined)
      return { ...allOf(mailNote(`[${words === '' ? 'picture' : words}]`)), isWhole: false };
    const { cid, width, height } = placed;
    const style = 'display:block;max-width:100%;height:auto;border:0;background-color:#ffffff';
    return whole(
      `<p style="${textStyle}"><img src="cid:${cid}" width="${width}" height="${height}" alt="${escaped(words)}" style="${style}"></p>`,
      bytes,
    );
  }

  return { many };
}

export function heading(level: number, html: string): string {
  const size = headingSizes[level - 1] ?? 14;
  const name = `h${level}`;
  return `<${name} style="margin:16px 0 8px;${font};font-size:${size}px;line-height:1.3;${ink}">${html}</${name}>`;
}

function paragraph(runs: readonly Run[], bytes: number): Written {
  return within(`<p style="${textStyle}">`, '</p>', bytes, (left) =>
    inOrder(runs, left, (run, room) => {
      const html = styled(run);
      if (Buffer.byteLength(html) <= room) return allOf(html);
      const marks = Buffer.byteLength(html) - Buffer.byteLength(textOf(run.text));
      const text = cutText(run.text, room - marks, textOf);
      return text === '' ? nothing : { ...nothing, html: styled({ ...run, text }) };
    }),
  );
}

function code(text: string, bytes: number): Written {
  const style = `margin:0 0 12px;padding:8px;background-color:#f3f4f6;${codeFont};font-size:13px;line-height:1.4;${ink};white-space:pre-wrap`;
  return within(`<pre style="${style}">`, '</pre>', bytes, (left) => {
    const shown = cutText(text, left);
    return shown === text ? allOf(escaped(text)) : { ...nothing, html: escaped(shown) };
  });
}

function cellOf(runs: readonly Run[], align: string, isHead: boolean): string {
  const name = isHead ? 'th' : 'td';
  const head = isHead ? ' bgcolor="#f3f4f6"' : '';
  return `<${name} align="${align}" valign="top"${head} style="${cellStyle}">${inline(runs)}</${name}>`;
}

const inline = (runs: readonly Run[]): string => runs.map(styled).join('');
const textOf = (text: string): string => escaped(text).replaceAll('\n', '<br>');

/** The address of a link is one of the web or of mail, or it would not be in the run. */
function styled({ text, isBold, isItalic, isStruck, isCode, href, note }: Run): string {
  let shown = textOf(text);
  if (note !== undefined) return `<sup>${shown}</sup>`;
  if (isCode === true) shown = `<code style="${codeFont};background-color:#f3f4f6">${shown}</code>`;
  if (isStruck === true) shown = `<del>${shown}</del>`;
  if (isItalic === true) shown = `<i>${shown}</i>`;
  if (isBold === true) shown = `<b>${shown}</b>`;
  if (href === undefined) return shown;
  return `<a href="${escaped(href)}" rel="noopener noreferrer nofollow" style="color:#1652c9">${shown}</a>`;
}

const whole = (html: string, bytes: number): Written =>
  Buffer.byteLength(html) <= bytes ? allOf(html) : nothing;

/** Content between two tags. Without any of it, there are no tags either. */
function within(before: string, after: string, bytes: number, write: (bytes: number) => Written): Written {
  const left = bytes - Buffer.byteLength(before) - Buffer.byteLength(after);
  if (left < 0) return nothing;
  const written = write(left);
  if (written.html === '' && written.isFull) return nothing;
  return { ...written, html: `${before}${written.html}${after}` };
}

/** As many items as fit, and what fits of the next one. */
function inOrder<Item>(
  items: readonly Item[],
  bytes: number,
  write: (item: Item, bytes: number) => Written,
): Written {
  const all = { html: [] as string[], isWhole: true, left: bytes };
  for (const item of items) {
    const { html, isWhole, isFull } = write(item, all.left);
    all.html.push(html);
    all.left -= Buffer.byteLength(html);
    all.isWhole &&= isWhole;
    if (isFull) return { html: all.html.join(''), isWhole: false, isFull };
  }
  return { html: all.html.join(''), isWhole: all.isWhole, isFull: false };
}
