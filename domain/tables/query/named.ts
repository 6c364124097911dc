import { wordsIn } from '../../../packages/sql-guard/index.ts';
import type { NamedRelation } from '../tables/registry.ts';

/**
 * Finds the relations that a text may name, in their order. An organization may have thousands of them, and
 * as many definitions: a name is only looked at where the word of it that fewest names have is in the text.
 */
export function namedIn(relations: readonly NamedRelation[]): (text: string) => NamedRelation[] {
  let index: ReturnType<typeof indexed> | undefined;
  return (text) => {
    const byWord = index ?? indexed(relations);
    index = byWord;
    const inText = wordsIn(text);
    return [undefined, ...inText]
      .flatMap((word) => byWord.get(word) ?? [])
      .filter(({ words }) => words.every((word) => inText.has(word)))
      .toSorted((one, other) => one.at - other.at)
      .map(({ relation }) => relation);
  };
}

/** What may be named, with what is asked of it for each statement. */
export interface NameList {
  all: readonly NamedRelation[];
  /** Those that are not views, and their ids. */
  tables: readonly NamedRelation[];
  tableIds: ReadonlySet<string>;
  namedIn: (text: string) => NamedRelation[];
}

export function nameList(all: readonly NamedRelation[]): NameList {
  const tables = all.filter(({ kind }) => kind !== 'view');
  return { all, tables, tableIds: new Set(tables.map(({ id }) => id)), namedIn: namedIn(all) };
}

/** By the word that fewest names have; a name without a word, which may be in any text, by none. */
function indexed(relations: readonly NamedRelation[]) {
  const named = relations.map((relation, at) => ({ relation, at, words: [...wordsIn(relation.name)] }));
  const counts = new Map<string, number>();
  for (const word of named.flatMap(({ words }) => words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarest = (words: readonly string[]) =>
    words.toSorted((one, other) => counts.get(one)! - counts.get(other)!)[0];
  return Map.groupBy(named, ({ words }) => rarest(words));
}
