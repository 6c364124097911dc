import { selectStarFrom } from './synthetic.ts';
import { isNode, type TreeNode, type TreeValue, text } from './tree.ts';

/** Prints an expression as the engine does when it names a column after it. */
export type PrintSelect = (statementsJson: string) => Promise<string | undefined>;

/** A column's name by its position, counted from the end if a star before it makes its position unknown. */
export interface ColumnName {
  place: number;
  isFromEnd: boolean;
  name: string;
}

/**
 * The engine names a column without an alias after its expression's text, and the text of a subquery includes
 * its table names. Columns must be named as the user wrote them, not as the guard rewrote them, so the names
 * are taken from the tree before rewriting.
 */
export async function namesWithTables(tree: TreeNode, print: PrintSelect): Promise<ColumnName[]> {
  const items = selectList(tree);
  const firstStar = items.findIndex(spreads);
  const lastStar = items.findLastIndex(spreads);
  const names: ColumnName[] = [];
  for (const [index, item] of items.entries()) {
    if (!isNode(item) || text(item['alias']) !== '' || spreads(item) || !holds(item, isSubquery)) continue;
    const isBeforeStars = firstStar === -1 || index < firstStar;
    if (!isBeforeStars && index < lastStar) continue;
    const printed = await print(statementsJson(item));
    if (!printed?.startsWith('SELECT ')) continue;
    const place = isBeforeStars ? index : items.length - 1 - index;
    names.push({ place, isFromEnd: !isBeforeStars, name: printed.slice('SELECT '.length) });
  }
  return names;
}

export function applyNames(engineNames: readonly string[], names: readonly ColumnName[]): string[] {
  const applied = [...engineNames];
  for (const { place, isFromEnd, name } of names)
    applied[isFromEnd ? applied.length - 1 - place : place] = name;
  return applied;
}

/** A set operation takes its names from its first SELECT. */
function selectList(tree: TreeNode): TreeValue[] {
  const left = tree['left'];
  if (tree['type'] === 'SET_OPERATION_NODE' && isNode(left)) return selectList(left);
  return Array.isArray(tree['select_list']) ? tree['select_list'] : [];
}

const isSubquery = (node: TreeNode): boolean => node['class'] === 'SUBQUERY';

/** Whether an item may become several columns. */
function spreads(item: TreeValue): boolean {
  return holds(item, (node) => node['class'] === 'STAR' || node['function_name'] === 'unnest');
}

/** Searches an expression, but not the statements inside it. */
function holds(value: TreeValue, matches: (node: TreeNode) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, matches));
  if (!isNode(value)) return false;
  if (matches(value)) return true;
  return Object.entries(value).some(([field, child]) => field !== 'subquery' && holds(child, matches));
}

function statementsJson(item: TreeNode): string {
  const node = { ...selectStarFrom(emptyTable), select_list: [item] };
  const statements = { error: false, statements: [{ node, named_param_map: [] }] };
  // Unknown positions are the largest 64-bit number, which a JavaScript number would round out of range.
  return JSON.stringify(statements, (field, value) => (field === 'query_location' ? 0 : value));
}

const emptyTable: TreeNode = { type: 'EMPTY', alias: '', sample: null, query_location: 0 };
