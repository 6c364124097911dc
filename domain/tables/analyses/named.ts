import { mayName, wordsIn } from '../query/guard/relations.ts';
import type { NamedRelation } from '../tables/tables.ts';

/**
 * Finds the relations that a text may name, in their order. An organization may have thousands of them, and
 * as many definitions: only names whose first word occurs in the text are compared with it.
 */
export function namedIn(relations: readonly NamedRelation[]): (text: string) => NamedRelation[] {
  const byWord = Map.groupBy(relations.entries(), ([, { name }]) => firstWord(name));
  return (text) => {
    const words = wordsIn(text);
    return [undefined, ...words]
      .flatMap((word) => byWord.get(word) ?? [])
      .filter(([, { name }]) => mayName(words, name))
      .toSorted(([one], [other]) => one - other)
      .map(([, relation]) => relation);
  };
}

/** Undefined of a name that has none, which may occur in any text. */
const firstWord = (name: string): string | undefined => wordsIn(name).values().next().value;
