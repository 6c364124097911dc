import iconv from 'iconv-lite';
import { detectAll } from 'jschardet';
import { detectable } from './encoding-names.ts';
import { latinShare } from './latin.ts';

/** Encodings that differ in a few letters; the more likely one is used. */
const siblings = [
  ['WINDOWS_1250', 'ISO_8859_2'],
  ['WINDOWS_1253', 'ISO_8859_7'],
  ['KOI8_R', 'KOI8_U'],
  ['IBM850', 'IBM437'],
];
const western = 'WINDOWS_1252';
const judgedBytes = 64 * 1024;
const aroundBytes = 100;
/** Tab, line ends, double quote, comma and semicolon: not part of a multibyte character in any encoding. */
const fieldEdges = new Set([9, 10, 13, 34, 44, 59]);
/** The non-ASCII bytes that are letters in windows-1252. */
const accented = /[\x8a\x8c\x8e\x9a\x9c\x9e\x9f\xc0-\xff]/;
/** Confidence on the library's scale; anything below is only a guess. */
const sure = 0.045;
/** If another candidate has this share of the best one's confidence, the encoding is ambiguous. */
const close = 0.75;
/** If Western has less than this share of the best one's confidence, the text is not Western. */
const lessLikely = 0.55;
/** The same for a text with few words. */
const muchLessLikely = 0.35;
/** At most this many words with accents are no evidence against the most common encoding. */
const fewWords = 3;
const someWords = 8;
/** Bytes that differ between the Turkish and the Icelandic encoding. */
const turkishBytes = /[\xd0\xdd\xde\xf0\xfd\xfe]/;

/** Public name of an 8-bit encoding, or the possible ones; an empty list if none is likely. */
export type EightBit = { name: string } | { unsure: string[] };

interface Candidate {
  name: string;
  confidence: number;
}

/**
 * The encoding of non-UTF-8 text, judged by the bytes around non-ASCII characters. Western text is by far the
 * most common, and a few accents are weak evidence, so it is assumed if the bytes are plausible.
 */
export function detectEightBit(bytes: Buffer): EightBit {
  const fields = foreignFields(bytes);
  return latinShare(fields) >= 0.9 ? amongLatin(fields) : amongOthers(fields);
}

function amongLatin(fields: Buffer): EightBit {
  const text = foreignWords(fields);
  const words = text.split('\n').length;
  if (words <= fewWords) return { name: western };
  const found = candidates(Buffer.from(text, 'latin1'));
  const [best] = found;
  const of = (name: string): number => found.find((each) => each.name === name)?.confidence ?? 0;
  const limit = words < someWords ? muchLessLikely : lessLikely;
  if (best === undefined || of(western) >= best.confidence * limit) {
    const isTurkish = turkishBytes.test(text) && of('WINDOWS_1254') >= of(western) * 0.9 && of(western) > 0;
    return isTurkish ? { unsure: [western, 'WINDOWS_1254'] } : { name: western };
  }
  if (best.confidence >= sure) return { name: best.name };
  return words < someWords ? { name: western } : { unsure: [western, best.name] };
}

function amongOthers(fields: Buffer): EightBit {
  const found = candidates(fields);
  const [best] = found;
  if (best === undefined || best.confidence < sure) return { unsure: [] };
  const text = decoded(fields, best.name);
  const rivals = found.filter(
    ({ name, confidence }) =>
      confidence >= best.confidence * close &&
      name !== best.name &&
      !siblings.some((pair) => pair.includes(name) && pair.includes(best.name)) &&
      decoded(fields, name) !== text,
  );
  if (rivals.length > 0) return { unsure: [best, ...rivals].map(({ name }) => name) };
  return { name: best.name };
}

const decoded = (bytes: Buffer, name: string): string => iconv.decode(bytes, name.replaceAll('_', ''));

/** The likeliest first; of encodings with the same public name only the best. */
function candidates(bytes: Buffer): Candidate[] {
  const found: Candidate[] = [];
  for (const { encoding, confidence } of detectAll(bytes)) {
    const name = encoding === null ? undefined : detectable[encoding];
    if (name !== undefined && !found.some((each) => each.name === name)) found.push({ name, confidence });
  }
  return found;
}

/** The distinct fields that contain a non-ASCII byte; of long fields only the surroundings of such bytes. */
function foreignFields(bytes: Buffer): Buffer {
  const parts = new Set<string>();
  let length = 0;
  for (let at = 0; at < bytes.length && length < judgedBytes; at += 1) {
    if (bytes[at]! < 0x80) continue;
    let from = at;
    while (from > 0 && at - from < aroundBytes && !fieldEdges.has(bytes[from - 1]!)) from -= 1;
    let to = at;
    let last = at;
    while (to < bytes.length && to - last < aroundBytes && !fieldEdges.has(bytes[to]!)) {
      if (bytes[to]! >= 0x80) last = to;
      to += 1;
    }
    at = to;
    const part = bytes.toString('latin1', from, Math.min(to, from + judgedBytes));
    if (!parts.has(part)) length += part.length + 1;
    parts.add(part);
  }
  return Buffer.from([...parts].join('\n'), 'latin1').subarray(0, judgedBytes);
}

/** The distinct words with an accented letter. */
function foreignWords(fields: Buffer): string {
  const words = fields.toString('latin1').split(/[^a-z\x80-\xff]+/i);
  return [...new Set(words.filter((word) => accented.test(word)))].join('\n');
}
