import { directedParts, hasRightToLeft, isRightToLeft } from '../bidi.ts';
import { printable } from '../characters.ts';
import { type EastAsian, eastAsianOf, type FontFamily, splitByFont } from '../fonts.ts';
import type { Run } from '../inlines.ts';
import type { PdfNode } from './printer.ts';

/** Interval in characters at which words longer than any line may be broken. */
const breakEvery = 40;
const longWord = /[^\s\u200b]{40,}/g;
/**
 * pdfmake's work grows quadratically with a text's words, so a longer text is split into several, one below
 * the other.
 */
const maxWords = 2_000;
const maxParts = 500;
const codeLines = 60;
const linkColor = '#1a56a8';
const codeColor = '#24292f';

export interface TextWriter {
  text(runs: readonly Run[], style?: PdfNode): PdfNode;
  code(text: string, style?: PdfNode): PdfNode;
}

/** Converts runs to pdfmake text: each part has one direction and a font with its characters. */
export function createTextWriter(wholeText: string): TextWriter {
  const eastAsian = eastAsianOf(wholeText);
  return {
    text: (runs, style = {}) => {
      const whole = runs.map((run) => printable(run.text)).join('');
      const alignment = isRightToLeft(whole) ? { alignment: 'right' } : {};
      return stacked(partsOf(runs, whole, eastAsianOf(whole, eastAsian)), { ...alignment, ...style });
    },
    code: (text, style = {}) => {
      const lines = breakable(printable(text)).split('\n');
      const texts: PdfNode[] = [];
      for (let from = 0; from < lines.length; from += codeLines) {
        const some = lines.slice(from, from + codeLines).join('\n');
        const parts = splitByFont(some, codeFonts, eastAsianOf(some, eastAsian));
        texts.push(
          stacked(
            parts.map((part) => ({ text: part.text, font: part.family })),
            {},
          ),
        );
      }
      return { stack: texts, preserveLeadingSpaces: true, ...style };
    },
  };
}

const textFonts: readonly FontFamily[] = ['DejaVu Sans'];
const codeFonts: readonly FontFamily[] = ['DejaVu Sans Mono', 'DejaVu Sans'];

function partsOf(runs: readonly Run[], whole: string, eastAsian: EastAsian): PdfNode[] {
  const levels = hasRightToLeft(whole) ? directedParts(whole) : undefined;
  const parts: PdfNode[] = [];
  let from = 0;
  for (const run of runs) {
    const text = printable(run.text);
    const style = styleOf(run);
    const fonts = run.isCode === true ? codeFonts : textFonts;
    for (const directed of cut(text, from, levels))
      for (const { text: part, family } of splitByFont(breakable(directed.text), fonts, eastAsian))
        parts.push({
          text: part,
          ...(family === 'DejaVu Sans' ? {} : { font: family }),
          // Setting font features, even an empty list, makes pdfmake lay out a part as a whole instead of
          // word by word.
          ...(directed.level === 0 ? {} : { level: directed.level, fontFeatures: [] }),
          ...style,
        });
    from += text.length;
  }
  return parts;
}

/** The directed parts of the whole text that are within one run. */
function cut(
  text: string,
  from: number,
  levels: ReturnType<typeof directedParts> | undefined,
): { text: string; level: number }[] {
  if (levels === undefined) return [{ text, level: 0 }];
  const to = from + text.length;
  return levels.flatMap((part) => {
    const [start, end] = [Math.max(from, part.from), Math.min(to, part.from + part.text.length)];
    return start >= end
      ? []
      : [{ text: part.text.slice(start - part.from, end - part.from), level: part.level }];
  });
}

function styleOf(run: Run): PdfNode {
  const decoration = [
    ...(run.isStruck === true ? ['lineThrough'] : []),
    ...(run.href === undefined ? [] : ['underline']),
  ];
  return {
    ...(run.isBold === true ? { bold: true } : {}),
    ...(run.isItalic === true ? { italics: true } : {}),
    ...(run.isCode === true ? { color: codeColor, background: '#eef0f3' } : {}),
    ...(run.href === undefined ? {} : { link: run.href, color: linkColor }),
    ...(decoration.length === 0 ? {} : { decoration }),
    ...(run.note === undefined ? {} : { sup: true, color: linkColor, linkToDestination: `note-${run.note}` }),
  };
}

const breakable = (text: string): string =>
  text.length < 40
    ? text
    : text.replaceAll(longWord, (word) => {
        const characters = [...word];
        const pieces: string[] = [];
        for (let at = 0; at < characters.length; at += breakEvery)
          pieces.push(characters.slice(at, at + breakEvery).join(''));
        return pieces.join('\u200b');
      });

/** One text, or several if it is too long. */
function stacked(parts: readonly PdfNode[], style: PdfNode): PdfNode {
  const texts: PdfNode[][] = [[]];
  let words = 0;
  for (const part of parts.flatMap(cutLong)) {
    const added = wordsIn(part['text'] as string);
    if (words > 0 && (words + added > maxWords || texts.at(-1)!.length >= maxParts)) {
      texts.push([]);
      words = 0;
    }
    texts.at(-1)!.push(part);
    words += added;
  }
  if (texts.length === 1) return { text: texts[0], ...style };
  return { stack: texts.map((text) => ({ text })), ...style };
}

const maxCharacters = 2_000;

function cutLong(part: PdfNode): PdfNode[] {
  const text = part['text'] as string;
  if (text.length <= maxCharacters || wordsIn(text) <= maxWords) return [part];
  const pieces: PdfNode[] = [];
  let from = 0;
  while (from < text.length) {
    let to = from + maxCharacters;
    // Words and surrogate pairs are kept whole.
    const space = text.lastIndexOf(' ', to);
    if (to < text.length) {
      if (space > from) to = space + 1;
      else if (/[\udc00-\udfff]/.test(text[to]!)) to += 1;
    }
    pieces.push({ ...part, text: text.slice(from, to) });
    from = to;
  }
  return pieces;
}

/** Approximate number of line break opportunities. */
function wordsIn(text: string): number {
  let count = 1;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x20 || code === 0x0a || code === 0x200b || code === 0x2d || code >= 0x2e80) count += 1;
  }
  return count;
}
