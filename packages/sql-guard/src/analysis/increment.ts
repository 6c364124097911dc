import type { Parser } from '../guard/parse.ts';
import { SqlRefusal } from '../guard/refusal.ts';
import { foldName, isNode, type TreeNode, type TreeValue, text } from '../guard/tree.ts';
import { someNode } from './aggregates.ts';
import { type AnalyzedTree, benchOf } from './bench.ts';
import type { Binder } from './binder.ts';
import type { Increment } from './contract.ts';
import { groupedIncrement } from './grouped.ts';
import { isLinear } from './linear.ts';

/** How the result follows from rows that are added to what is read; null if in no way that is known here. */
export async function incrementOf(
  parser: Parser,
  binder: Binder,
  analyzed: AnalyzedTree,
): Promise<Increment | null> {
  const { tree, plan } = analyzed;
  if (!isPlainSelect(tree) || someNode(tree, (node) => isUnsafe(node, binder.unstable))) return null;
  const isOrdered = Array.isArray(tree['modifiers']) && tree['modifiers'].length > 0;
  if (!isOrdered && isLinear(plan, binder.unstable)) return { kind: 'rows' };
  if (!analyzed.isBuilt) return null;
  try {
    return (await groupedIncrement(benchOf(parser, binder), analyzed)) ?? null;
  } catch (error) {
    if (error instanceof SqlRefusal) return null;
    throw error;
  }
}

/** One SELECT without common tables, DISTINCT, LIMIT, QUALIFY or a sample. */
function isPlainSelect(tree: TreeNode): boolean {
  const { cte_map: shared, modifiers } = tree;
  const tables = isNode(shared) ? shared['map'] : [];
  return (
    tree['type'] === 'SELECT_NODE' &&
    Array.isArray(tables) &&
    tables.length === 0 &&
    tree['qualify'] === null &&
    tree['sample'] === null &&
    Array.isArray(modifiers) &&
    modifiers.every((modifier) => isNode(modifier) && modifier['type'] === 'ORDER_MODIFIER')
  );
}

/** What the plan does not show, or a tree cannot hold exactly. */
function isUnsafe(node: TreeNode, unstable: ReadonlySet<string>): boolean {
  if (node['class'] === 'LAMBDA') return true;
  if (node['class'] === 'FUNCTION') return unstable.has(foldName(text(node['function_name'])));
  return node['class'] === 'CONSTANT' && !isExact(node['value'] ?? null);
}

/** Larger integers were rounded when the tree was read. */
function isExact(value: TreeValue): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (Array.isArray(value)) return value.every(isExact);
  return !isNode(value) || Object.values(value).every(isExact);
}
