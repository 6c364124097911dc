import { constant } from './synthetic.ts';
import { isNode, type TreeNode, text, withoutTail } from './tree.ts';

/**
 * Adds the wanted number of rows as a LIMIT, which turns a full sort into a top-N search. Only if the
 * statement has no limit of its own. The caller must verify that the text has this tree.
 */
export function withRowLimit(
  sql: string,
  tree: TreeNode,
  rows: number,
): { sql: string; tree: TreeNode } | undefined {
  const modifiers = tree['modifiers'];
  const from = tree['from_table'];
  const isShow = isNode(from) && from['type'] === 'SHOW_REF';
  if (!Array.isArray(modifiers) || isShow || limitsOf(tree).length > 0) return undefined;
  const modifier: TreeNode = { type: 'LIMIT_MODIFIER', limit: constant(rows), offset: null };
  return {
    sql: `${withoutTail(sql)}\nLIMIT ${rows}`,
    tree: { ...tree, modifiers: [...modifiers, modifier] },
  };
}

/** Whether the statement's own limit is a constant of at most this many rows. */
export function hasLimitWithin(tree: TreeNode, rows: number): boolean {
  return limitsOf(tree).some((modifier) => {
    const limit = modifier['type'] === 'LIMIT_MODIFIER' ? modifier['limit'] : undefined;
    const value = isNode(limit) && limit['class'] === 'CONSTANT' ? limit['value'] : undefined;
    const count = isNode(value) ? value['value'] : undefined;
    return typeof count === 'number' && count >= 0 && count <= rows;
  });
}

function limitsOf(tree: TreeNode): TreeNode[] {
  const modifiers = tree['modifiers'];
  if (!Array.isArray(modifiers)) return [];
  return modifiers.filter(isNode).filter((modifier) => text(modifier['type']).startsWith('LIMIT'));
}
