import { boundedDepth } from '../guard/check.ts';
import type { Parser } from '../guard/parse.ts';
import { shortenColumns } from '../guard/qualified-columns.ts';
import { SqlRefusal } from '../guard/refusal.ts';
import { nameReader, quoted, splice, type TableEdit } from '../guard/splice.ts';
import { foldName, isNode, type TreeNode, type TreeValue, text, withoutTail } from '../guard/tree.ts';
import { relationsNamed } from './analyze.ts';
import type { Binder, BoundQuery } from './binder.ts';
import type { ColumnedRelation, DefinitionText, Renamed, Renaming } from './contract.ts';
import { type Origins, originKey } from './influence.ts';
import { originsOf } from './origins.ts';

/** More places than this are not tried, each of which costs a round of binding. */
const maxPlaces = 200;

/**
 * Follows a renaming in a query that was written with the old name; `relations` have the old names. The rest
 * of the text stays as it is, and the columns of the result keep their names, except those that a star gives.
 */
export async function followRenaming(
  parser: Parser,
  binder: Binder,
  definition: DefinitionText,
  renaming: Renaming,
): Promise<Renamed> {
  try {
    return await boundedDepth(() =>
      renaming.column === undefined
        ? renameRelation(parser, definition, renaming)
        : renameColumn(parser, binder, definition, { ...renaming, column: renaming.column }),
    );
  } catch (error) {
    if (error instanceof SqlRefusal) return undefined;
    throw error;
  }
}

async function renameRelation(
  { parse }: Parser,
  { query, relations }: DefinitionText,
  { relationId, to }: Renaming,
): Promise<Renamed> {
  const tree = await parse(query);
  // A common table expression of the new name would be read in its place; a qualified name is never one.
  const name = namesCommonTable(tree, foldName(to)) ? `main.${quoted(to)}` : quoted(to);
  const named = relationsNamed(tree, relations);
  const edits = named.flatMap(({ relation, table }): TableEdit[] => {
    if (relation.id !== relationId) return [];
    // Columns may be qualified by the old name, which therefore stays as an alias.
    const alias = text(table['alias']) === '' ? ` AS ${quoted(text(table['table_name']))}` : '';
    const replacement = `${name}${alias}`;
    return [{ offset: Number(table['query_location']), replacement, replacementWhenDescribed: replacement }];
  });
  if (edits.length === 0) return undefined;
  // An alias has no schema with which columns could be qualified.
  const oldName = foldName(relations.find(({ id }) => id === relationId)?.name ?? '');
  const columns = shortenColumns(query, tree).filter(({ table }) => table === oldName);
  return { query: splice(query, [...edits, ...columns.map(({ edit }) => edit)]), columns: [] };
}

/** Whether any part of a statement has a common table expression of that name. */
function namesCommonTable(value: TreeValue | undefined, folded: string): boolean {
  if (Array.isArray(value)) return value.some((item) => namesCommonTable(item, folded));
  if (!isNode(value)) return false;
  const shared = isNode(value['cte_map']) ? value['cte_map']['map'] : undefined;
  const isOne = (entry: TreeValue) => isNode(entry) && foldName(text(entry['key'])) === folded;
  if (Array.isArray(shared) && shared.some(isOne)) return true;
  return Object.values(value).some((child) => namesCommonTable(child, folded));
}

interface ColumnRenaming extends Renaming {
  column: string;
}

/**
 * Which of the columns of that name are meant is decided by the engine: over a table that has the old and the
 * new name, a place means the column exactly if the statement still has the same origins with the new name
 * there.
 */
async function renameColumn(
  { parse }: Parser,
  binder: Binder,
  { query, relations }: DefinitionText,
  renaming: ColumnRenaming,
): Promise<Renamed> {
  const renamed = relations.find(({ id }) => id === renaming.relationId);
  const tree = await parse(query);
  const reads = relationsNamed(tree, relations).map(({ relation }) => relation);
  if (renamed === undefined || !reads.includes(renamed)) return undefined;
  const places = placesOf(tree, renaming.column);
  if (places.length > maxPlaces) return undefined;

  const bind = async (sql: string) => binder.bind(withoutTail(sql));
  const meaning = (bound: BoundQuery) => meaningOf(bound, renamed.name, renaming);
  await binder.shape(withColumns(reads, renamed, 'both', renaming));
  const before = await bind(query);
  const wanted = meaning(before);
  let edits: ColumnEdit[] = [];
  const namesAt = nameReader(query);
  for (const place of places) {
    for (const edit of editsAt(namesAt, place, renaming)) {
      const bound = await bind(splice(query, [...edits, edit])).catch(refused);
      if (bound === undefined || meaning(bound) !== wanted) continue;
      edits.push(edit);
      break;
    }
  }
  await binder.shape(withColumns(reads, renamed, 'old', renaming));
  const original = await bind(query);
  const means = meaning(original);
  await binder.shape(withColumns(reads, renamed, 'new', renaming));
  // Where the result has no part of it, as within EXISTS, a column of another table was taken for it.
  for (const edit of edits) {
    const without = edits.filter((each) => each !== edit);
    const bound = await bind(splice(query, without.map(withoutAlias))).catch(refused);
    if (bound !== undefined && meaning(bound) === means) edits = without;
  }
  const followed = splice(query, edits);
  const after = await bind(followed).catch(refused);
  if (after === undefined || meaning(after) !== means) return undefined;
  const columns = original.columns.flatMap(({ name: from }, index) => {
    const to = after.columns[index]!.name;
    return from === to ? [] : [{ from, to }];
  });
  return { query: followed, columns };
}

/** An alias of the old name would be taken for the column elsewhere in the statement. */
const withoutAlias = ({ path, ...edit }: ColumnEdit): TableEdit => ({ ...edit, replacement: path });

const refused = (error: unknown): undefined => {
  if (error instanceof SqlRefusal) return undefined;
  throw error;
};

/** The origins of every column, with the old and the new name as one. */
function meaningOf({ columns, plan }: BoundQuery, table: string, { column, to }: ColumnRenaming): string {
  const origins = plan === undefined ? undefined : originsOf(plan, columns.length);
  const [old, now] = [originKey(table, column), originKey(table, to)];
  const line = (origins: Origins) =>
    [...origins]
      .flatMap(([key, influences]) => [...influences].map((each) => `${key === now ? old : key} ${each}`))
      .filter((each, index, all) => all.indexOf(each) === index)
      .sort();
  return JSON.stringify([columns.length, origins?.map(line) ?? null]);
}

function withColumns(
  reads: readonly ColumnedRelation[],
  renamed: ColumnedRelation,
  which: 'old' | 'new' | 'both',
  { column, to }: ColumnRenaming,
): ColumnedRelation[] {
  const isOld = ({ name }: { name: string }) => foldName(name) === foldName(column);
  return [...new Set(reads)].map((relation) => {
    if (relation !== renamed) return relation;
    const renamedOnes = relation.columns.map((each) => (isOld(each) ? { ...each, name: to } : each));
    if (which === 'old') return relation;
    if (which === 'new') return { ...relation, columns: renamedOnes };
    const added = relation.columns.filter(isOld).map((each) => ({ ...each, name: to }));
    return { ...relation, columns: [...relation.columns, ...added] };
  });
}

/** A place where a column of the old name is written. */
interface Place {
  offset: number;
  /** Which of its parts, separated by dots, have the name. */
  parts: number[];
  /** Whether the column of the result is named after it. */
  names: boolean;
}

function placesOf(tree: TreeNode, column: string): Place[] {
  const places = new Map<number, Place>();
  const visit = (value: TreeValue | undefined, names: boolean): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, names);
    if (!isNode(value)) return;
    if (value['class'] === 'COLUMN_REF') {
      const written = Array.isArray(value['column_names']) ? value['column_names'] : [];
      const parts = written.flatMap((part, index) =>
        foldName(text(part)) === foldName(column) ? [index] : [],
      );
      const offset = Number(value['query_location']);
      if (parts.length > 0 && Number.isSafeInteger(offset))
        places.set(offset, { offset, parts, names: names && text(value['alias']) === '' });
      return;
    }
    for (const [field, child] of Object.entries(value)) visit(child, field === 'select_list');
  };
  visit(tree, false);
  return [...places.values()];
}

interface ColumnEdit extends TableEdit {
  /** The replacement without an alias. */
  path: string;
}

function editsAt(
  namesAt: (offset: number) => string[],
  { offset, parts, names }: Place,
  { to }: ColumnRenaming,
): ColumnEdit[] {
  const written = namesAt(offset);
  return parts
    .filter((part) => part < written.length)
    .map((part) => {
      const path = written.map((name, index) => (index === part ? quoted(to) : name)).join('.');
      const replacement = names ? `${path} AS ${asName(written.at(-1)!)}` : path;
      return { offset, replacement, replacementWhenDescribed: replacement, path };
    });
}

const asName = (written: string): string => (written.startsWith('"') ? written : quoted(written));
