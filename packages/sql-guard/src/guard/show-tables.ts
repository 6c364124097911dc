import type { Relation } from '../request.ts';
import { isNode, type TreeNode, text } from './tree.ts';

export function isShowTables(tree: TreeNode): boolean {
  const from = tree['from_table'];
  return (
    isNode(from) &&
    from['type'] === 'SHOW_REF' &&
    from['show_type'] === 'SHOW_UNQUALIFIED' &&
    from['query'] === null &&
    text(from['table_name']) === '"tables"'
  );
}

/** Answers SHOW TABLES with the organization's relations, not with the engine's catalog. */
export function listing(relations: readonly Relation[]): string {
  const names = relations.map((relation) => `('${relation.name.replaceAll("'", "''")}')`);
  if (names.length === 0) return `SELECT '' AS "name" WHERE false`;
  return `SELECT "name" FROM (VALUES ${names.join(', ')}) AS listed("name") ORDER BY "name"`;
}
