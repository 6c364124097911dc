import { createRequire } from 'node:module';
import type { Bidi } from 'bidi-js';

// Its types are those of a module, and it is none.
const bidi = (createRequire(import.meta.url)('bidi-js') as () => Bidi)();
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

export const hasRightToLeft = (text: string): boolean => rightToLeft.test(text);

/** Whether it is read from right to left as a whole: what its first letter is decides. */
export function isRightToLeft(text: string): boolean {
  if (!hasRightToLeft(text)) return false;
  return (bidi.getEmbeddingLevels(text, 'auto').paragraphs[0]?.level ?? 0) === 1;
}

export interface Directed {
  text: string;
  /** Odd from right to left. */
  level: number;
}

/** The text in parts of one direction, in the order in which it is read. */
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

/** Brackets as they look among words from right to left. */
export const mirrored = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{M}\s]/gu, (character) => bidi.getMirroredCharacter(character) ?? character);

/** Punctuation by itself, in the order in which it stands; that of words is their font's. */
export const turned = (text: string): string => [...text].reverse().join('');

/**
 * The order in which parts of a line stand from left to right, by their levels (rule L2 of the algorithm).
 */
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
