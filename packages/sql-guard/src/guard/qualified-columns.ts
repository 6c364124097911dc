import { nameReader, type TableEdit } from './splice.ts';
import { foldName, isNode, type TreeNode, type TreeValue, text } from './tree.ts';

export interface ShortenedColumn {
  /** The table of the column, folded. */
  table: string;
  edit: TableEdit;
}

interface Found {
  columns: TreeNode[];
  /** Tables that are known by their own names. */
  named: Set<string>;
  /** Names that something else in the statement has. */
  taken: Set<string>;
}

/**
 * Shortens columns that are written with the schema of their table: `main.orders.amount` to
 * `orders.amount`. A table that is read at a version, and a view, become a subquery, which has a name but no
 * schema. What might mean anything else stays as it is. Changes `tree` as the edits change the text.
 */
export function shortenColumns(sql: string, tree: TreeNode): ShortenedColumn[] {
  if (!/main|lake/i.test(sql)) return [];
  const found: Found = { columns: [], named: new Set(), taken: new Set() };
  find(tree, found);
  const namesAt = nameReader(sql);
  return found.columns.flatMap((column) => shortened(namesAt, column, found));
}

function shortened(
  namesAt: (offset: number) => string[],
  column: TreeNode,
  { named, taken }: Found,
): ShortenedColumn[] {
  const parts = Array.isArray(column['column_names']) ? column['column_names'] : [];
  const names = parts.map((part) => foldName(text(part)));
  const [first = '', second] = names;
  const isWhole = first === 'lake' && second === 'main' && names.length > 3;
  const from = isWhole ? 2 : names.length > 2 && (first === 'lake' || first === 'main') ? 1 : 0;
  const table = names[from] ?? '';
  const isClear = named.has(table) && !taken.has(table) && !named.has(first) && !taken.has(first);
  const offset = column['query_location'];
  if (from === 0 || !isClear || typeof offset !== 'number' || !Number.isSafeInteger(offset)) return [];
  const written = namesAt(offset);
  if (written.length !== names.length) return [];
  column['column_names'] = parts.slice(from);
  const replacement = written.slice(from).join('.');
  return [{ table, edit: { offset, replacement, replacementWhenDescribed: replacement } }];
}

function find(value: TreeValue | undefined, found: Found): void {
  if (Array.isArray(value)) for (const item of value) find(item, found);
  if (!isNode(value)) return;
  if (value['class'] === 'COLUMN_REF') {
    found.columns.push(value);
    return;
  }
  const alias = value['class'] === undefined ? foldName(text(value['alias'])) : '';
  if (alias !== '') found.taken.add(alias);
  else if (value['type'] === 'BASE_TABLE') found.named.add(foldName(text(value['table_name'])));
  const shared = isNode(value['cte_map']) ? value['cte_map']['map'] : undefined;
  if (Array.isArray(shared))
    for (const entry of shared) if (isNode(entry)) found.taken.add(foldName(text(entry['key'])));
  for (const child of Object.values(value)) find(child, found);
}
