import type { Relation } from '../request.ts';
import type { ParseSelect } from './parse.ts';
import { foldName, type TreeNode, withoutTail } from './tree.ts';

/** A view's SELECT and its tree, parsed before the walk, which is synchronous. */
export interface ParsedView {
  sql: string;
  tree: TreeNode;
}

export interface KnownRelations {
  /** A relation that the statement, or the view, may name. */
  find(foldedName: string, view?: Relation): Relation | undefined;
  view(relation: Relation): ParsedView | undefined;
}

/**
 * Parses the views a statement may reach: those whose name occurs in it, or in the SELECT of one that does.
 */
export async function knownRelations(
  relations: readonly Relation[],
  sql: string,
  parse: ParseSelect,
): Promise<KnownRelations> {
  const views = new Map<string, ParsedView>();
  const texts: [string, readonly Relation[]][] = [[sql, relations]];
  for (let next = texts.pop(); next !== undefined; next = texts.pop()) {
    const [source, within] = next;
    const inSource = wordsIn(source);
    for (const relation of within) {
      if (views.has(relation.id) || !mayName(inSource, relation.name)) continue;
      if (relation.staged !== undefined)
        views.set(relation.id, { sql: relation.staged, tree: await parse(relation.staged) });
      if (relation.definition === undefined) continue;
      const definition = withoutTail(relation.definition);
      views.set(relation.id, { sql: definition, tree: await parse(definition) });
      const reads = relation.reads ?? relations;
      if (reads.length > 0) texts.push([definition, reads]);
    }
  }
  const scopes = new Map<readonly Relation[], Map<string, Relation>>();
  const scopeOf = (within: readonly Relation[]) => {
    const known =
      scopes.get(within) ?? new Map(within.map((relation) => [foldName(relation.name), relation]));
    scopes.set(within, known);
    return known;
  };
  return {
    find: (name, view) => scopeOf(view?.reads ?? relations).get(name),
    view: (relation) => views.get(relation.id),
  };
}

/** Words of a text or a name, folded: those of ASCII, and those of other characters. */
export const wordsIn = (text: string): Set<string> => new Set(foldName(text).match(words));

/** The parser takes these other characters for spaces too. */
const words = /[a-z0-9_]+|[^\p{ASCII}\s\u200b-\u200f\u2060]+/gu;

/**
 * Whether a relation's name may occur in a text that has these words: where one of its own is not among them,
 * the text cannot name it. A text is long, and names are many, so neither is searched for in the other.
 */
export function mayName(inText: ReadonlySet<string>, name: string): boolean {
  return [...wordsIn(name)].every((word) => inText.has(word));
}
