import { foldName, isNode, type TreeNode, type TreeValue, text } from '../guard/tree.ts';
import { aggregateOf, meaning, someNode } from './aggregates.ts';
import type { ColumnedRelation } from './contract.ts';

/**
 * The expressions by which a statement groups, each once; undefined if they cannot be determined. A name is
 * that of a column if there is one, else that of an expression of the select list.
 */
export function groupKeys(tree: TreeNode, relations: readonly ColumnedRelation[]): TreeNode[] | undefined {
  const items = nodesOf(tree['select_list']);
  const written = nodesOf(tree['group_expressions']);
  if (tree['aggregate_handling'] === 'FORCE_AGGREGATES')
    return written.length > 0 ? undefined : unique(items.filter((item) => !holdsAggregate(item)));
  const sets = Array.isArray(tree['group_sets']) ? tree['group_sets'] : [];
  const isPlain =
    written.length === 0 ? sets.length === 0 : sets.length === 1 && isWhole(sets[0], written.length);
  if (!isPlain) return undefined;
  const columns = new Set(
    relations.flatMap((relation) => relation.columns.map(({ name }) => foldName(name))),
  );
  const keys = written.map((key) => resolved(key, items, columns));
  return keys.every((key) => key !== undefined) ? unique(keys) : undefined;
}

const nodesOf = (value: TreeValue | undefined): TreeNode[] =>
  Array.isArray(value) ? value.filter((item) => isNode(item)) : [];

const isWhole = (set: TreeValue | undefined, size: number): boolean =>
  Array.isArray(set) && set.length === size;

export const holdsAggregate = (item: TreeNode): boolean =>
  someNode(item, (node) => aggregateOf(node) !== undefined);

const unique = (keys: readonly TreeNode[]): TreeNode[] => [
  ...new Map(keys.map((key) => [meaning(key), { ...key, alias: '' }])).values(),
];

function resolved(
  key: TreeNode,
  items: readonly TreeNode[],
  columns: ReadonlySet<string>,
): TreeNode | undefined {
  if (key['class'] === 'CONSTANT') {
    const position = isNode(key['value']) ? Number(key['value']['value']) : Number.NaN;
    return items[position - 1];
  }
  const names = key['class'] === 'COLUMN_REF' ? key['column_names'] : undefined;
  if (!Array.isArray(names) || names.length !== 1) return key;
  const name = foldName(text(names[0]));
  if (columns.has(name)) return key;
  return items.find((item) => foldName(text(item['alias'])) === name);
}

/** Whether an expression is a key: a column may be qualified in one of the two places only. */
export function isKey(node: TreeNode, key: TreeNode): boolean {
  if (meaning(node) === meaning(key)) return true;
  const [names, others] = [node['column_names'], key['column_names']];
  if (!Array.isArray(names) || !Array.isArray(others)) return false;
  if (names.length > 1 && others.length > 1) return false;
  return foldName(text(names.at(-1))) === foldName(text(others.at(-1)));
}
