import { createRequire } from 'node:module';
import type { Bidi } from 'bidi-js';

// Loaded with require, because its types describe an ES module but it is not one.
const bidi = (createRequire(import.meta.url)('bidi-js') as () => Bidi)();
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

export const hasRightToLeft = (text: string): boolean => rightToLeft.test(text);

/** Whether the text as a whole is right-to-left, which its first letter decides. */
export function isRightToLeft(text: string): boolean {
  if (!hasRightToLeft(text)) return false;
  return (bidi.getEmbeddingLevels(text, 'auto').paragraphs[0]?.level ?? 0) === 1;
}

export interface Directed {
  text: string;
  /** Odd levels are right-to-left. */
  level: number;
}

/** Splits the text into parts of one direction, in logical order. */
export function directedParts(text: string): (Directed & { from: number })[] {
  const embedding = bidi.getEmbeddingLevels(text, 'auto');
  const parts: (Directed & { from: number })[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const level = embedding.levels[index]!;
    const character = text[index]!;
    const last = parts.at(-1);
    if (last !== undefined && last.level === level) last.text += character;
    else parts.push({ text: character, level, from: index });
  }
  return parts;
}

/** Mirrors brackets, as in right-to-left text. */
export const mirrored = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{M}\s]/gu, (character) => bidi.getMirroredCharacter(character) ?? character);

/** Reverses punctuation into visual order; within words the font does this. */
export const turned = (text: string): string => [...text].reverse().join('');

/** The visual order of a line's parts from left to right, by their levels (rule L2 of the algorithm). */
export function visualOrder(levels: readonly number[]): number[] {
  const order = levels.map((_, index) => index);
  for (let level = Math.max(0, ...levels); level > 0; level -= 1)
    for (let from = 0; from < order.length; from += 1) {
      if (levels[order[from]!]! < level) continue;
      let to = from;
      while (to + 1 < order.length && levels[order[to + 1]!]! >= level) to += 1;
      order.splice(from, to - from + 1, ...order.slice(from, to + 1).reverse());
      from = to;
    }
  return order;
}
