import {
  aggregateOf,
  ascending,
  busyWords,
  chartOf,
  chartWords,
  descending,
  distinctWords,
  harmless,
  listWords,
  monthOf,
  negations,
  openers,
  periodOf,
  relativeOpeners,
  relativeWords,
  shareWords,
  stopWords,
  superlatives,
  whichWords,
} from './lexicon.ts';
import type { Token } from './words.ts';

const comparing = `above below under beyond more less fewer greater larger smaller higher lower least most
  between equal equals exceeds exceeding since until till before after through null missing empty blank no
  first compare compared comparing comparison versus vs count help describe profile sample preview true false trend monthly weekly daily yearly quarterly
  false contains containing starting`;

/** Every word of the grammar. None of them is treated as a misspelt name. */
export const grammarWords: ReadonlySet<string> = new Set([
  ...aggregateOf.keys(),
  ...ascending,
  ...busyWords.keys(),
  ...chartOf.keys(),
  ...chartWords,
  ...comparing.split(/\s+/),
  ...descending,
  ...distinctWords,
  ...harmless,
  ...listWords,
  ...monthOf.keys(),
  ...negations,
  ...openers,
  ...periodOf.keys(),
  ...relativeOpeners,
  ...relativeWords,
  ...shareWords,
  ...stopWords,
  ...superlatives.keys(),
  ...whichWords,
]);

/**
 * A value that is also a grammar word, such as `IN` for India, counts only if it is written identically, in
 * capitals.
 */
export function allowsAsWord(token: Token, value: string): boolean {
  return token.text === value && value.length > 1 && value === value.toUpperCase();
}
