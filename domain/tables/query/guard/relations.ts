import type { QueryRelation } from '../request.ts';
import type { ParseSelect } from './parse.ts';
import { foldName, type TreeNode, withoutTail } from './tree.ts';

/** A view's SELECT and its tree, parsed before the walk, which is synchronous. */
export interface ParsedView {
  sql: string;
  tree: TreeNode;
}

export interface KnownRelations {
  find(foldedName: string): QueryRelation | undefined;
  view(relation: QueryRelation): ParsedView | undefined;
}

/**
 * Parses the views a statement may reach: those whose name occurs in it, or in the SELECT of one that does.
 */
export async function knownRelations(
  relations: readonly QueryRelation[],
  sql: string,
  parse: ParseSelect,
): Promise<KnownRelations> {
  const byName = new Map(relations.map((relation) => [foldName(relation.name), relation]));
  const views = new Map<string, ParsedView>();
  const remaining = new Set(relations.filter((relation) => relation.definition !== undefined));
  const texts = [foldName(sql)];
  for (let next = texts.pop(); next !== undefined; next = texts.pop()) {
    for (const relation of remaining) {
      // Quotes inside a quoted name are doubled, so only the part before the first one is searched for.
      const [needle = ''] = foldName(relation.name).split('"');
      if (relation.definition === undefined || !next.includes(needle)) continue;
      remaining.delete(relation);
      const definition = withoutTail(relation.definition);
      views.set(relation.id, { sql: definition, tree: await parse(definition) });
      texts.push(foldName(definition));
    }
  }
  return { find: (name) => byName.get(name), view: (relation) => views.get(relation.id) };
}
