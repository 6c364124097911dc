import iconv from 'iconv-lite';
import { BadFileError } from '../bad-file.ts';
import { detectEightBit } from './eight-bit.ts';
import { platformEncoding, resolveEncoding } from './encoding-names.ts';

/** The encoding declared by a byte order mark at the start of a file, and the mark's length. */
export function byteOrderMark(head: Buffer): { encoding: string; bytes: number } | undefined {
  const is = (...bytes: number[]): boolean => bytes.every((byte, index) => head[index] === byte);
  if (is(0xef, 0xbb, 0xbf)) return { encoding: 'utf8', bytes: 3 };
  if (is(0xff, 0xfe, 0, 0)) return { encoding: 'utf32le', bytes: 4 };
  if (is(0, 0, 0xfe, 0xff)) return { encoding: 'utf32be', bytes: 4 };
  if (is(0xff, 0xfe)) return { encoding: 'utf16le', bytes: 2 };
  if (is(0xfe, 0xff)) return { encoding: 'utf16be', bytes: 2 };
  return undefined;
}

/**
 * The encoding of a file without a byte order mark; undefined if it is not text. Control characters are text,
 * and a text may have some NULs, which make their records bad.
 *
 * @throws BadFileError if the encoding of a text cannot be determined
 */
export function detectEncoding(head: Buffer): string | undefined {
  if (head.includes(0)) {
    const encoding = wideEncoding(head);
    if (encoding !== undefined)
      return isBinary(Buffer.from(iconv.decode(head, encoding))) ? undefined : encoding;
    const nuls = head.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0);
    if (nuls > head.length * mostNuls) return undefined;
  }
  if (isJapanese(head)) return platformEncoding.name;
  if (isBinary(head)) return undefined;
  return isUtf8Start(head) || isDamagedUtf8(head) ? 'utf8' : eightBitEncoding(head);
}

const mostNuls = 0.2;

/** ISO-2022-JP is ASCII with escapes that change the character set: to kanji, and back. */
const isJapanese = (head: Buffer): boolean =>
  (head.includes('\u001b$B') || head.includes('\u001b$@')) && head.includes('\u001b(');

/** The encoding of text that is not UTF-8. @throws BadFileError if it cannot be determined */
export function eightBitEncoding(bytes: Buffer): string {
  const found = detectEightBit(bytes);
  if ('name' in found) return resolveEncoding(found.name)!;
  const guesses = found.unsure.length === 0 ? '' : ` (perhaps ${found.unsure.join(' or ')})`;
  throw new BadFileError(
    'bad_encoding',
    `The file isn't UTF-8, and the service cannot detect its encoding${guesses}. Set csv.char_encoding`,
  );
}

/**
 * In UTF-16, Latin characters have a zero byte; other characters are pairs of arbitrary bytes. If nearly all
 * other pairs are two ASCII characters, the file is ASCII with some zero bytes.
 */
function wideEncoding(head: Buffer): string | undefined {
  // The sampled head is even, so an odd length is a whole file that lacks half a character.
  if (head.length % 2 === 1) return undefined;
  const pairs = head.length / 2;
  let firstZeros = 0;
  let secondZeros = 0;
  let asciiPairs = 0;
  let kana = 0;
  for (let at = 0; at < head.length; at += 2) {
    const first = head[at]!;
    const second = head[at + 1]!;
    if (first === 0) firstZeros += 1;
    if (second === 0) secondZeros += 1;
    // Kana are the only script in which every character may look like two ASCII characters, a letter and a 0.
    if (isHiragana(first, second) || isHiragana(second, first)) kana += 1;
    else if (isAsciiText(first) && isAsciiText(second)) asciiPairs += 1;
  }
  const isLittle = secondZeros > pairs * 0.3 && firstZeros < pairs * 0.05;
  const isBig = firstZeros > pairs * 0.3 && secondZeros < pairs * 0.05;
  if (!isLittle && !isBig) return undefined;
  const others = pairs - kana - (isLittle ? secondZeros : firstZeros);
  if (asciiPairs > pairs * 0.05 && asciiPairs > others * 0.9) return undefined;
  return isLittle ? 'utf16le' : 'utf16be';
}

function isHiragana(high: number, low: number): boolean {
  return high === 0x30 && low > 0x40;
}

function isAsciiText(byte: number): boolean {
  return (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13;
}

/**
 * Whether bytes aren't text: compressed and compiled content has many control characters among bytes that are
 * not UTF-8. UTF-8 text may have more of them, because some programs separate values by them.
 */
function isBinary(bytes: Buffer): boolean {
  let controls = 0;
  for (const byte of bytes)
    if (byte < 32 && byte !== 0 && (byte < 8 || byte > 13) && byte !== 27) controls += 1;
  return controls > bytes.length * (isUtf8Start(bytes) ? mostControls : mostControlsUnread);
}

const mostControls = 0.4;
const mostControlsUnread = 0.02;

/**
 * Whether at least half of the non-ASCII characters are valid UTF-8: then the others are damage, not another
 * encoding.
 */
export function isDamagedUtf8(bytes: Buffer): boolean {
  let right = 0;
  let wrong = 0;
  for (const [character] of bytes.toString().matchAll(/[^\0-\x7f]/gu)) {
    if (character === '\uFFFD') wrong += 1;
    else right += 1;
  }
  return right >= wrong;
}

/** A character truncated at the end of the sample does not count as invalid. */
function isUtf8Start(head: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Resolves encodings without a byte order: by the mark, else by the pattern of zeros, else little endian. */
export function withByteOrder(encoding: string, head: Buffer): string {
  if (encoding !== 'utf16' && encoding !== 'utf32' && encoding !== 'ucs2' && encoding !== 'ucs4')
    return encoding;
  const mark = byteOrderMark(head)?.encoding;
  const isWide = encoding === 'utf32' || encoding === 'ucs4';
  if (mark?.startsWith(isWide ? 'utf32' : 'utf16')) return mark;
  if (isWide) return head[0] === 0 ? 'utf32be' : 'utf32le';
  return wideEncoding(head) === 'utf16be' ? 'utf16be' : 'utf16le';
}

export interface Transcoder {
  /** Converts to UTF-8; invalid bytes become 0xFF, which every UTF-8 reader rejects. */
  write(bytes: Buffer): Buffer;
  end(): Buffer;
}

interface Decoder {
  write(bytes: Buffer): string;
  end(): string | undefined;
}

function decoderOf(encoding: string): Decoder {
  if (encoding !== platformEncoding.name) return iconv.getDecoder(encoding, { stripBOM: false });
  const decoder = new TextDecoder(platformEncoding.label, { ignoreBOM: true });
  return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

export function createTranscoder(encoding: string): Transcoder {
  if (encoding === 'utf8') return { write: (bytes) => bytes, end: () => Buffer.alloc(0) };
  const decoder = decoderOf(encoding);
  const isUnicode = encoding.startsWith('utf') || encoding.startsWith('ucs') || encoding === 'gb18030';
  let highSurrogate = '';
  function encode(text: string): Buffer {
    if (isUnicode ? text.isWellFormed() : !text.includes('\uFFFD')) return Buffer.from(text);
    const parts: Buffer[] = [];
    const broken = isUnicode
      ? /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
      : /\uFFFD/;
    for (const [index, part] of text.split(broken).entries()) {
      if (index > 0) parts.push(Buffer.from([0xff]));
      parts.push(Buffer.from(part));
    }
    return Buffer.concat(parts);
  }
  let pendingBytes = 0;
  const unitBytes = encoding.startsWith('utf32')
    ? 4
    : encoding.startsWith('utf16') || encoding === 'ucs2'
      ? 2
      : 1;
  return {
    write(bytes) {
      pendingBytes = (pendingBytes + bytes.length) % unitBytes;
      const text = highSurrogate + decoder.write(bytes);
      const last = text.charCodeAt(text.length - 1);
      highSurrogate = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : '';
      return encode(highSurrogate === '' ? text : text.slice(0, -1));
    },
    end() {
      const text = highSurrogate + (decoder.end() ?? '');
      const tail = encode(text);
      return pendingBytes === 0 ? tail : Buffer.concat([tail, Buffer.from([0xff])]);
    },
  };
}
