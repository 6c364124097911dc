import { foldName, isNode, type TreeNode, type TreeValue, text } from '../guard/tree.ts';

/** An aggregate of a statement, as the parser reads it. */
export type Aggregate = 'count' | 'sum' | 'min' | 'max' | 'avg';

const aggregates: Readonly<Record<string, Aggregate>> = {
  count: 'count',
  count_star: 'count',
  sum: 'sum',
  min: 'min',
  max: 'max',
  avg: 'avg',
  mean: 'avg',
};

/** Which aggregate an expression is, if it is one whose values can be merged. */
export function aggregateOf(node: TreeNode): Aggregate | undefined {
  if (node['class'] !== 'FUNCTION') return undefined;
  const name = foldName(text(node['function_name']));
  const found = Object.hasOwn(aggregates, name) ? aggregates[name] : undefined;
  const { children, distinct } = node;
  const orders = isNode(node['order_bys']) ? node['order_bys']['orders'] : undefined;
  const isPlain =
    distinct === false &&
    (!Array.isArray(orders) || orders.length === 0) &&
    Array.isArray(children) &&
    children.length <= 1;
  return isPlain ? found : undefined;
}

/** The same aggregate by another name, over the same rows. */
export const renamedAggregate = (node: TreeNode, name: string): TreeNode => ({
  ...node,
  function_name: name,
  alias: '',
});

/** What two expressions have in common that mean the same; aliases and places in the text do not matter. */
export function meaning(value: TreeValue | undefined): string {
  return JSON.stringify(value, (field, each) =>
    field === 'query_location' || field === 'alias'
      ? undefined
      : field === 'column_names' && Array.isArray(each)
        ? each.map((name) => foldName(String(name)))
        : each,
  );
}

/** Replaces expressions from the outside in: what is replaced is not looked into. */
export function replaceWithin(
  value: TreeValue,
  replacement: (node: TreeNode) => TreeNode | undefined,
): TreeValue {
  if (Array.isArray(value)) return value.map((item) => replaceWithin(item, replacement));
  if (!isNode(value)) return value;
  const replaced = 'class' in value ? replacement(value) : undefined;
  if (replaced !== undefined) return { ...replaced, alias: value['alias'] ?? '' };
  return Object.fromEntries(
    Object.entries(value).map(([field, child]) => [field, replaceWithin(child, replacement)]),
  );
}

/** Whether a node of the tree, at any depth, passes. */
export function someNode(value: TreeValue | undefined, test: (node: TreeNode) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => someNode(item, test));
  if (!isNode(value)) return false;
  return test(value) || Object.values(value).some((child) => someNode(child, test));
}
