import { StringDecoder } from 'node:string_decoder';
import { BadFileError } from '../bad-file.ts';

const maxTokenChars = 8 * 1024 * 1024;

/** A tag without its namespace, or the text between two tags. */
export type XmlToken =
  | { kind: 'open'; name: string; attributes: string; isEmpty: boolean }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string };

/**
 * Tells the tags and texts of an XML part in order. It knows as much XML as a workbook's parts use: entities are
 * the five named and the numeric ones, so that no document can make it fetch or multiply anything.
 */
export async function readXml(
  chunks: AsyncIterable<Buffer>,
  onToken: (token: XmlToken) => void,
): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + decoder.write(chunk);
    rest = text.slice(scan(text, onToken));
    if (rest.length > maxTokenChars)
      throw new BadFileError('malformed_file', 'The workbook is not valid XML');
  }
}

/** Scans as far as whole tokens go, and says how far that is. */
function scan(text: string, onToken: (token: XmlToken) => void): number {
  let at = 0;
  for (;;) {
    const start = text.indexOf('<', at);
    if (start === -1) return at;
    const marker = text.startsWith('<!--', start) ? '-->' : text.startsWith('<![CDATA[', start) ? ']]>' : '>';
    const end = text.indexOf(marker, start);
    if (end === -1) return at;
    if (start > at) onToken({ kind: 'text', text: decode(text.slice(at, start)) });
    if (marker === ']]>') onToken({ kind: 'text', text: text.slice(start + 9, end) });
    else if (marker === '>') tag(text.slice(start + 1, end), onToken);
    at = end + marker.length;
  }
}

function tag(body: string, onToken: (token: XmlToken) => void): void {
  if (body.startsWith('?') || body.startsWith('!')) return;
  if (body.startsWith('/')) {
    onToken({ kind: 'close', name: localName(body.slice(1).trim()) });
    return;
  }
  const isEmpty = body.endsWith('/');
  const inner = isEmpty ? body.slice(0, -1) : body;
  const space = inner.search(/\s/);
  const name = space === -1 ? inner : inner.slice(0, space);
  onToken({
    kind: 'open',
    name: localName(name),
    attributes: space === -1 ? '' : inner.slice(space),
    isEmpty,
  });
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** The value of an attribute; `name` may carry its prefix. */
export function attribute(attributes: string, name: string): string | undefined {
  for (let at = attributes.indexOf(name); at !== -1; at = attributes.indexOf(name, at + 1)) {
    const before = attributes[at - 1];
    if (before !== ' ' && before !== '\n' && before !== '\t' && before !== '\r') continue;
    const match = /^\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(attributes.slice(at + name.length));
    if (match !== null) return decode(match[1] ?? match[2] ?? '');
  }
  return undefined;
}

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|([a-z]+));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** Excel writes control characters of a string as _x000D_. */
export function unescapeCell(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
