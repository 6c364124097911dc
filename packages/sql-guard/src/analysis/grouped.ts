import { foldName, isNode, type TreeNode, type TreeValue, text } from '../guard/tree.ts';
import {
  type Aggregate,
  aggregateOf,
  meaning,
  renamedAggregate,
  replaceWithin,
  someNode,
} from './aggregates.ts';
import type { AnalyzedTree, Bench } from './bench.ts';
import type { GroupPart, Increment } from './contract.ts';
import { groupKeys, holdsAggregate, isKey } from './group-keys.ts';
import { keptExtremeType, keptSumType, keptType } from './kept-type.ts';
import { childrenOf, isLinear, isStable } from './linear.ts';
import type { PlanNode } from './plan-node.ts';

/** What is kept for each group; no relation can have this name. */
export const groupsRelation = '_sm_groups';
const keyName = (index: number) => `_sm_key_${index}`;
const partName = (index: number) => `_sm_part_${index}`;

/** An aggregate of the statement, and where what it is made from is kept. */
interface Found {
  kind: Aggregate;
  node: TreeNode;
  /** Indexes of its parts: an average has two. */
  parts: number[];
}

interface Part {
  merge: GroupPart['merge'];
  isSum: boolean;
  node: TreeNode;
}

/**
 * Splits a group-by into what is kept for each group, which can be merged with that of more rows, and the
 * result over it. Undefined if that is not possible, or would not give the very same.
 */
export async function groupedIncrement(bench: Bench, analyzed: AnalyzedTree): Promise<Increment | undefined> {
  const { tree, relations, columns } = analyzed;
  const keys = groupKeys(tree, relations);
  const items = Array.isArray(tree['select_list']) ? tree['select_list'].filter((item) => isNode(item)) : [];
  if (keys === undefined || items.length !== columns.length) return undefined;
  if (keys.length === 0 && !items.some(holdsAggregate)) return undefined;
  const { found, parts } = aggregatesIn(tree);
  const types = await boundTypes(
    bench,
    partialOf(
      tree,
      keys,
      parts.map(({ node }) => node),
    ),
  );
  if (types === undefined) return undefined;
  const kept = types.map((type, index) => {
    const part = index < keys.length ? undefined : parts[index - keys.length];
    if (part === undefined) return keptType(type);
    return part.isSum ? keptSumType(type) : keptExtremeType(type);
  });
  const own = types.map((type, index) => (isHugeInteger(type) ? 'HUGEINT' : kept[index]));
  if (kept.some((type) => type === undefined) || own.some((type) => type === undefined)) return undefined;
  const [keptTypes, ownTypes] = [kept as string[], own as string[]];
  const casts = await inTurn(parts, ({ node }, index) => bench.cast(node, keptTypes[keys.length + index]!));
  const partial = await bench.print(partialOf(tree, keys, casts));
  const names = [...keys.map((_, index) => keyName(index)), ...parts.map((_, index) => partName(index))];
  const stored = names.map((name, index) => ({ name, type: keptTypes[index]! }));
  const readings = await inTurn(names, (name, index) =>
    bench.expression(`CAST("${name}" AS ${ownTypes[index]!})`),
  );
  const averages = await inTurn(found, ({ kind, parts: [sum, count] }) =>
    kind === 'avg'
      ? bench.expression(`CAST("${partName(sum!)}" AS DOUBLE) / "${partName(count!)}"`)
      : undefined,
  );
  if (hasOtherAlias(items, tree['having'] ?? null, keys)) return undefined;
  const inResult = (node: TreeNode): TreeNode | undefined => {
    const key = keys.findIndex((each) => isKey(node, each));
    if (key !== -1) return readings[key];
    if (aggregateOf(node) === undefined) return undefined;
    const index = found.findIndex((each) => meaning(each.node) === meaning(node));
    return averages[index] ?? readings[keys.length + (found[index]?.parts[0] ?? Number.NaN)];
  };
  const resultTree = await resultOf(bench, tree, columns, inResult);
  const result = resultTree === undefined ? undefined : await bench.print(resultTree);
  if (partial === undefined || result === undefined) return undefined;
  if (!(await givesTheSame(bench, result, stored, analyzed))) return undefined;
  return {
    kind: 'groups',
    partial,
    keys: stored.slice(0, keys.length).map(({ name }) => name),
    parts: parts.map(({ merge }, index) => ({ merge, ...stored[keys.length + index]! })),
    result,
  };
}

/** The parser reads one text at a time. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  step: (item: Item, index: number) => Promise<Result> | Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) results.push(await step(item, index));
  return results;
}

const isHugeInteger = (type: PlanNode): boolean => type['id'] === 'HUGEINT';

function aggregatesIn(tree: TreeNode): { found: Found[]; parts: Part[] } {
  const found: Found[] = [];
  const parts: Part[] = [];
  const keep = (node: TreeNode, merge: Part['merge'], isSum: boolean): number => {
    const index = parts.findIndex((each) => meaning(each.node) === meaning(node));
    return index === -1 ? parts.push({ node, merge, isSum }) - 1 : index;
  };
  const visit = (node: TreeNode): undefined => {
    const kind = aggregateOf(node);
    if (kind === undefined || found.some((each) => meaning(each.node) === meaning(node))) return;
    const own = { ...node, alias: '' };
    const sum = () => keep(renamedAggregate(own, 'sum'), 'sum', true);
    const count = () => keep(kind === 'avg' ? renamedAggregate(own, 'count') : own, 'sum', false);
    const places = {
      avg: () => [sum(), count()],
      sum: () => [sum()],
      count: () => [count()],
      min: () => [keep(own, 'min', false)],
      max: () => [keep(own, 'max', false)],
    };
    found.push({ kind, node, parts: places[kind]() });
  };
  replaceWithin([tree['select_list'] ?? null, tree['having'] ?? null, tree['modifiers'] ?? null], visit);
  return { found, parts };
}

/** Whether HAVING means an alias by a name that is also that of a key: aliases come first there. */
function hasOtherAlias(items: readonly TreeNode[], having: TreeValue, keys: readonly TreeNode[]): boolean {
  return someNode(having, (node) => {
    const names = node['column_names'];
    if (!Array.isArray(names) || names.length !== 1) return false;
    const item = items.find((each) => foldName(text(each['alias'])) === foldName(text(names[0])));
    const key = keys.find((each) => isKey(node, each));
    return item !== undefined && key !== undefined && !isKey(item, key);
  });
}

/** The statement that gives keys and aggregates, for each group whatever HAVING says. */
function partialOf(tree: TreeNode, keys: readonly TreeNode[], parts: readonly TreeNode[]): TreeNode {
  const named = [
    ...keys.map((key, index) => ({ ...key, alias: keyName(index) })),
    ...parts.map((part, index) => ({ ...part, alias: partName(index) })),
  ];
  return {
    ...tree,
    modifiers: [],
    select_list: named,
    group_expressions: [...keys],
    group_sets: keys.length === 0 ? [] : [keys.map((_, index) => index)],
    aggregate_handling: 'STANDARD_HANDLING',
    having: null,
  };
}

/** The types of the columns of a statement that does nothing but group rows that follow row by row. */
async function boundTypes({ print, binder }: Bench, tree: TreeNode): Promise<PlanNode[] | undefined> {
  const sql = await print(tree);
  if (sql === undefined) return undefined;
  const { plan } = await binder.bind(sql);
  if (plan?.['type'] !== 'LOGICAL_PROJECTION') return undefined;
  const [groups] = childrenOf(plan);
  if (groups?.['type'] !== 'LOGICAL_AGGREGATE_AND_GROUP_BY') return undefined;
  const [rows] = childrenOf(groups);
  if (rows === undefined || !isLinear(rows, binder.unstable)) return undefined;
  const values = plan['expressions'];
  return Array.isArray(values)
    ? values.map((value) => (value as PlanNode)['return_type'] as PlanNode)
    : undefined;
}

async function resultOf(
  { table }: Bench,
  tree: TreeNode,
  columns: AnalyzedTree['columns'],
  inResult: (node: TreeNode) => TreeNode | undefined,
): Promise<TreeNode | undefined> {
  const items = tree['select_list'] as TreeNode[];
  const aliases = new Set(items.map((item) => foldName(text(item['alias']))));
  // ORDER BY prefers the names of the select list.
  const inOrders = (node: TreeNode) => {
    const names = node['column_names'];
    const isAlias = Array.isArray(names) && names.length === 1 && aliases.has(foldName(text(names[0])));
    return isAlias ? node : inResult(node);
  };
  return {
    ...tree,
    select_list: items.map((item, index) => ({
      ...(replaceWithin(item, inResult) as TreeNode),
      alias: columns[index]!.name,
    })),
    from_table: await table(groupsRelation),
    where_clause: replaceWithin(tree['having'] ?? null, inResult),
    group_expressions: [],
    group_sets: [],
    aggregate_handling: 'STANDARD_HANDLING',
    having: null,
    modifiers: replaceWithin(tree['modifiers'] ?? [], inOrders),
  };
}

const rowByRow: ReadonlySet<unknown> = new Set([
  'LOGICAL_PROJECTION',
  'LOGICAL_FILTER',
  'LOGICAL_ORDER_BY',
  'LOGICAL_GET',
]);

/** Whether the result over what is kept has the columns of the statement, each computed row by row. */
async function givesTheSame(
  { binder }: Bench,
  result: string,
  stored: readonly { name: string; type: string }[],
  { relations, columns }: AnalyzedTree,
): Promise<boolean> {
  await binder.shape([{ id: '', name: groupsRelation, columns: stored }]);
  const bound = await binder.bind(result);
  await binder.shape(relations);
  const isRowByRow = (operator: PlanNode): boolean =>
    rowByRow.has(operator['type']) &&
    isStable(operator, binder.unstable) &&
    childrenOf(operator).every(isRowByRow);
  return (
    bound.plan !== undefined &&
    isRowByRow(bound.plan) &&
    JSON.stringify(bound.columns) === JSON.stringify(columns)
  );
}
