import type { Parameter, Relation } from '../request.ts';
import { shortenColumns } from './qualified-columns.ts';
import { SqlRefusal, unavailable, uninspectable } from './refusal.ts';
import type { KnownRelations } from './relations.ts';
import { quoted, splice, type TableEdit } from './splice.ts';
import { constant, greater, selectStarFrom, subqueryTable } from './synthetic.ts';
import { foldName, isNode, type TreeNode, text } from './tree.ts';
import { walkStatement } from './walk.ts';

export interface RewriteContext {
  relations: KnownRelations;
  /** Folded relation name to snapshot. */
  atVersions: ReadonlyMap<string, number>;
  /** Folded relation name to the snapshot after which rows were added; of it, only those are read. */
  addedAfter: ReadonlyMap<string, number>;
  /** Hides the engine's own column `filename`, which would reveal where the lake's files are. */
  hidesFileNames: boolean;
  /** Ids of the relations encountered, in order. */
  scanned: Set<string>;
  /** Parameters of the statement; a view has none. */
  parameters: readonly Parameter[];
}

interface Place {
  /** The version a view is read at, which its tables inherit. */
  version: number | undefined;
  /** The views being expanded, outermost first. */
  within: readonly Relation[];
}

const deepestView = 32;

/**
 * Checks a statement and qualifies every table it names: `t` becomes `lake.main."t"`, so that it cannot refer
 * to anything else of that name (a system view, a file, a table of another catalog). Returns the new text and
 * changes `tree` into the tree that this text must have.
 */
export function rewriteTables(
  sql: string,
  tree: TreeNode,
  context: RewriteContext,
  place: Place = { version: undefined, within: [] },
): string {
  const edits = new Map<number, TableEdit>();
  // Before the walk, which puts the trees of views into this one.
  for (const { edit } of shortenColumns(sql, tree)) edits.set(edit.offset, edit);
  const parameters = place.within.length === 0 ? context.parameters : [];
  const visitTable = (table: TreeNode) => {
    const offset = table['query_location'];
    if (typeof offset !== 'number' || !Number.isSafeInteger(offset)) throw uninspectable('A table name');
    edits.set(offset, { offset, ...rewriteTable(table, context, place) });
  };
  walkStatement(tree, { visitTable, parameters });
  return splice(sql, [...edits.values()]);
}

function rewriteTable(table: TreeNode, context: RewriteContext, place: Place): Omit<TableEdit, 'offset'> {
  const relation = resolve(table, context.relations, place.within.at(-1));
  context.scanned.add(relation.id);
  const version = place.version ?? context.atVersions.get(foldName(relation.name));
  const view = context.relations.view(relation);
  if (relation.staged !== undefined) {
    if (view === undefined || table['at_clause'] !== null) throw uninspectable(`The table ${relation.name}`);
    return asSubquery(table, relation, view.sql, structuredClone(view.tree));
  }
  if (relation.definition !== undefined) {
    if (view === undefined || table['at_clause'] !== null) throw uninspectable(`The view ${relation.name}`);
    return expandView(table, relation, structuredClone(view), context, { ...place, version });
  }
  checkAt(table['at_clause']);
  const qualified = `lake.main.${quoted(relation.name)}`;
  const bare: TreeNode = { ...table, catalog_name: 'lake', schema_name: 'main', table_name: relation.name };
  if (table['at_clause'] !== null || (version === undefined && !context.hidesFileNames)) {
    Object.assign(table, bare);
    return { replacement: qualified, replacementWhenDescribed: qualified };
  }
  const inner: TreeNode = { ...bare, alias: '', sample: null, column_name_alias: [] };
  if (version !== undefined) inner['at_clause'] = { unit: 'VERSION', expr: constant(version) };
  const at = version === undefined ? '' : ` AT (VERSION => ${version})`;
  const body = `SELECT * FROM ${qualified}${at}`;
  const after = version === undefined ? undefined : context.addedAfter.get(foldName(relation.name));
  if (after === undefined) return asSubquery(table, relation, body, selectStarFrom(inner));
  const added = { ...selectStarFrom(inner), where_clause: greater('snapshot_id', after) };
  return asSubquery(table, relation, `${body} WHERE snapshot_id > ${after}`, added);
}

function resolve(table: TreeNode, relations: KnownRelations, view: Relation | undefined): Relation {
  const name = foldName(text(table['table_name']));
  const isOfCatalog = catalogQualifiers.includes(qualifierOf(table));
  if (!isOfCatalog) refuseForeign(table);
  const relation = relations.find(isOfCatalog ? catalogName(name) : name, view);
  if (relation === undefined) throw unavailable(shownName(table));
  if (relation.refusal !== undefined) throw new SqlRefusal('query_failed', relation.refusal);
  return relation;
}

/** The name of a relation of `information_schema`. No table has it, as none has a NUL in its name. */
export const catalogName = (name: string): string => `\0information_schema.${name}`;

const catalogQualifiers = ['information_schema', 'lake.information_schema'];

/** Refuses tables that are not the organization's own, whatever their names. */
export function refuseForeign(table: TreeNode): void {
  if (!['', 'main', 'lake', 'lake.main'].includes(qualifierOf(table))) throw unavailable(shownName(table));
}

const qualifierOf = (table: TreeNode): string =>
  [table['catalog_name'], table['schema_name']]
    .map((part) => foldName(text(part)))
    .filter((part) => part !== '')
    .join('.');

function shownName(table: TreeNode): string {
  const [qualifier, name] = [qualifierOf(table), text(table['table_name'])];
  return qualifier === '' ? name : `${qualifier}.${name}`;
}

function expandView(
  table: TreeNode,
  relation: Relation,
  view: { sql: string; tree: TreeNode },
  context: RewriteContext,
  place: Place,
): Omit<TableEdit, 'offset'> {
  if (place.within.some(({ id }) => id === relation.id) || place.within.length >= deepestView) {
    throw new SqlRefusal(
      'query_failed',
      `The view "${relation.name}" reads itself, or is nested too deeply.`,
    );
  }
  const within = [...place.within, relation];
  const body = rewriteTables(view.sql, view.tree, context, { ...place, within });
  return asSubquery(table, relation, body, view.tree);
}

function asSubquery(
  table: TreeNode,
  relation: Relation,
  body: string,
  tree: TreeNode,
): Omit<TableEdit, 'offset'> {
  const hasAlias = text(table['alias']) !== '';
  const alias = hasAlias ? text(table['alias']) : (relation.alias ?? relation.name);
  const { sample, column_name_alias: columnAliases } = table;
  for (const field of Object.keys(table)) delete table[field];
  Object.assign(table, subqueryTable(tree, alias, sample ?? null, columnAliases ?? []));
  // The line break ends a comment at the end of the body.
  const replacement = `(${body}\n)${hasAlias ? '' : ` AS ${quoted(alias)}`}`;
  return { replacement, replacementWhenDescribed: `SELECT * FROM ${replacement}` };
}

/**
 * `AT (VERSION => 7)` reads the past of one of the organization's tables: safe with a constant, impossible to
 * inspect with anything else.
 */
function checkAt(at: TreeNode[string] | undefined): void {
  if (at === null) return;
  const expression = isNode(at) ? at['expr'] : undefined;
  const inner = isNode(expression) && expression['class'] === 'CAST' ? expression['child'] : expression;
  const isConstant = isNode(inner) && inner['class'] === 'CONSTANT';
  const isKnownUnit = isNode(at) && (at['unit'] === 'VERSION' || at['unit'] === 'TIMESTAMP');
  if (!isConstant || !isKnownUnit) throw uninspectable('AT with anything but a constant');
}
