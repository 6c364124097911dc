import { printable } from '../characters.ts';
import type { MailPart } from './contract.ts';

/** Clients of mail ignore style sheets and inherit little, so most elements have their own styles. */
export const font = 'font-family:Arial,Helvetica,sans-serif';
export const ink = 'color:#1a1d21';
export const line = '#d5dae1';
const paper = '#ffffff';
/** In pixels: what the reading pane of most clients shows without scrolling. */
const pageWidth = 680;
const padding = 24;
export const contentWidth = pageWidth - 2 * padding;

export const textStyle = `margin:0 0 12px;${font};font-size:14px;line-height:1.5;${ink}`;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that means nothing in HTML, and can't turn the direction of what follows. */
export const escaped = (text: string): string =>
  printable(text).replace(/[&<>"']/g, (character) => escapes[character]!);

/** An entity has up to six bytes, and other characters have fewer in proportion to their length in UTF-16. */
const mostBytesOfCharacter = 6;

/** As much of a text as surely fits when it is written. */
export function cutText(text: string, bytes: number, written = escaped): string {
  if (Buffer.byteLength(written(text)) <= bytes) return text;
  const most = Math.max(0, Math.floor(bytes / mostBytesOfCharacter));
  // Half of a surrogate pair at the end is left out.
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** A plain text as paragraphs. */
export function mailText(text: string, htmlBytes: number): MailPart {
  const parts: string[] = [];
  let left = htmlBytes;
  for (const paragraph of text.trim().split(/\n[ \t\r]*\n\s*/)) {
    const around = paragraphOf('').length + 1;
    const shown = cutText(paragraph, left - around, lines);
    if (shown !== '') parts.push(paragraphOf(shown));
    if (shown !== paragraph) return { html: parts.join('\n'), pictures: [], isCut: true };
    left -= Buffer.byteLength(parts.at(-1) ?? '') + 1;
  }
  return { html: parts.join('\n'), pictures: [], isCut: false };
}

const lines = (text: string): string => escaped(text.replaceAll('\r', '')).replaceAll('\n', '<br>');
const paragraphOf = (text: string): string => `<p style="${textStyle}">${lines(text)}</p>`;

/** A remark of the service about what is shown. */
export const mailNote = (text: string): string =>
  `<p style="margin:0 0 12px;${font};font-size:13px;line-height:1.5;color:#565d66">${escaped(text)}</p>`;

/**
 * The parts as a whole page. It has tables for its layout, which Outlook needs. Its light colours are written
 * as attributes too, so that clients with a dark theme keep text and paper apart.
 */
export function mailPage(title: string, parts: readonly string[]): string {
  const table = 'role="presentation" cellpadding="0" cellspacing="0" border="0"';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<meta name="supported-color-schemes" content="light">
<title>${escaped(title)}</title>
</head>
<body bgcolor="#f3f4f6" style="margin:0;padding:0;background-color:#f3f4f6;${ink}">
<table ${table} width="100%" bgcolor="#f3f4f6"><tr><td align="center" style="padding:16px 8px">
<table ${table} width="${pageWidth}" bgcolor="${paper}" style="width:100%;max-width:${pageWidth}px;background-color:${paper};border:1px solid ${line}">
<tr><td align="left" style="padding:${padding}px;${font};font-size:14px;line-height:1.5;${ink};word-break:break-word">
${parts.join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** A part as a page by itself, with its pictures in it. */
export function pageOf(title: string, { html, pictures }: MailPart): string {
  const sources = new Map(
    pictures.map(({ cid, contentType, bytes }) => [
      cid,
      `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`,
    ]),
  );
  // In texts, quotes are escaped: only a picture has such an address.
  const whole = html.replaceAll(/ src="cid:([^"]+)"/g, (all, cid: string) =>
    sources.has(cid) ? ` src="${sources.get(cid)}"` : all,
  );
  return mailPage(title, [whole]);
}
