import { mayName } from '../query/guard/relations.ts';
import { foldName } from '../query/guard/tree.ts';
import type { NamedRelation } from '../tables/tables.ts';

/** Long enough that few names share an ending that occurs in a text. */
const endingLength = 3;

/**
 * Finds the relations that a text may name, in their order. An organization may have thousands of them, and
 * as many definitions: only names whose last characters occur in the text are searched for in it.
 */
export function namedIn(relations: readonly NamedRelation[]): (text: string) => NamedRelation[] {
  const byEnding = Map.groupBy(relations.entries(), ([, { name }]) => endingOf(name));
  const short = [...byEnding].flatMap(([ending, named]) => (ending.length < endingLength ? named : []));
  return (text) => {
    const folded = foldName(text);
    return [...short, ...[...endingsIn(folded)].flatMap((ending) => byEnding.get(ending) ?? [])]
      .filter(([, { name }]) => mayName(folded, name))
      .toSorted(([one], [other]) => one - other)
      .map(([, relation]) => relation);
  };
}

/** Only the part before a quote is searched for. */
function endingOf(name: string): string {
  const [searched = ''] = foldName(name).split('"');
  return searched.slice(-endingLength);
}

function endingsIn(folded: string): Set<string> {
  const endings = new Set<string>();
  for (let at = endingLength; at <= folded.length; at += 1) endings.add(folded.slice(at - endingLength, at));
  return endings;
}
