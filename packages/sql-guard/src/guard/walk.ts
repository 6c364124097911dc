import type { Parameter } from '../request.ts';
import { allowedFunctions, allowedTableFunctions } from './functions.ts';
import { SqlRefusal, unavailable, uninspectable } from './refusal.ts';
import {
  caseCheckShape,
  commonTableShape,
  expressionShapes,
  type FieldRole,
  modifierShapes,
  orderShape,
  pivotEntryShape,
  pivotShape,
  queryShapes,
  type Shape,
  tableShapes,
} from './shapes.ts';
import { foldName, isNode, type TreeNode, type TreeValue, text } from './tree.ts';
import { checkType } from './types.ts';

/** Names of the common table expressions visible at a place in the statement, folded. */
export type Scope = ReadonlySet<string>;

/** The input of a walk. */
export interface Walk {
  visitTable: VisitTable;
  /**
   * The parameters that have values. Each must be encountered: otherwise it is within quotes or a comment.
   */
  parameters?: readonly Parameter[];
}

/** Called for every named table that is not a common table expression; refuses or rewrites it. */
export type VisitTable = (table: TreeNode) => void;

/**
 * Walks every node of a statement. Unknown nodes are refused; functions must be on the allow-list; tables go
 * to `visitTable`, unless a common table expression in scope hides them.
 */
export function walkStatement(root: TreeNode, { visitTable, parameters = [] }: Walk): void {
  const sources = new Map(parameters.map(({ name, source }) => [foldName(name), source]));
  const walker: Walker = { visitTable, sources, met: new Set() };
  walkQuery(walker, root, new Set());
  for (const [name, source] of sources) {
    if (walker.met.has(name)) continue;
    if (!source.startsWith('${'))
      throw new SqlRefusal('query_failed', `The statement doesn't use the parameter ${source}.`);
    throw new SqlRefusal(
      'query_failed',
      `${source} is inside quotes or a comment. Write it without quotes, because it is passed as a value.`,
    );
  }
}

interface Walker {
  visitTable: VisitTable;
  /** The placeholder as written, by parameter name. */
  sources: ReadonlyMap<string, string>;
  /** Names of the parameters encountered. */
  met: Set<string>;
}

function walkFields(walker: Walker, node: TreeNode, shape: Shape | undefined, scope: Scope): void {
  if (shape === undefined) throw uninspectable('A part of the statement');
  for (const field of Object.keys(node)) {
    const role = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (role === undefined) throw uninspectable('A part of the statement');
    walkField(walker, node[field] ?? null, role, scope);
  }
}

function walkField(walker: Walker, value: TreeValue, role: FieldRole, scope: Scope): void {
  if (role === 'plain' || role === 'own') return;
  if (role === 'absent') {
    if (!isEmpty(value)) throw uninspectable('A part of the statement');
    return;
  }
  eachNode(value, (node) => walkNode[role](walker, node, scope));
}

const walkNode: Record<
  Exclude<FieldRole, 'plain' | 'own' | 'absent'>,
  (walker: Walker, node: TreeNode, scope: Scope) => void
> = {
  expressions: walkExpression,
  type: (walker, node, scope) => checkType(node, (child) => walkExpression(walker, child, scope)),
  query: walkQuery,
  table: walkTable,
  orders: (walker, node, scope) => walkFields(walker, node, orderShape, scope),
  modifiers: (walker, node, scope) => walkFields(walker, node, lookup(modifierShapes, node['type']), scope),
  caseChecks: (walker, node, scope) => walkFields(walker, node, caseCheckShape, scope),
  pivots: (walker, node, scope) =>
    walkFields(walker, node, 'values' in node ? pivotEntryShape : pivotShape, scope),
};

function isEmpty(value: TreeValue): boolean {
  return value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Visits the nodes of a field that holds one, a list of them at any depth, or null. */
function eachNode(value: TreeValue, visit: (node: TreeNode) => void): void {
  if (value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) eachNode(item, visit);
    return;
  }
  if (!isNode(value)) throw uninspectable('A part of the statement');
  visit(value);
}

function lookup(shapes: Readonly<Record<string, Shape>>, kind: TreeValue | undefined): Shape | undefined {
  return typeof kind === 'string' && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
}

function walkExpression(walker: Walker, node: TreeNode, scope: Scope): void {
  const kind = text(node['class']);
  if (kind === 'PARAMETER') {
    walkParameter(walker, node);
    return;
  }
  if (kind === 'FUNCTION' || kind === 'WINDOW') checkFunction(node, allowedFunctions);
  if (kind === 'COLUMN_REF') checkColumn(node);
  if (kind === 'STAR') {
    eachNode(node['replace_list'] ?? null, (entry) => {
      eachNode(entry['value'] ?? null, (value) => walkExpression(walker, value, scope));
    });
  }
  const met = walker.met.size;
  walkFields(walker, node, lookup(expressionShapes, kind), scope);
  if (kind === 'STAR' && walker.met.size > met)
    throw new SqlRefusal(
      'query_failed',
      'A placeholder is a value. It cannot choose the columns of COLUMNS.',
    );
}

function walkParameter({ sources, met }: Walker, node: TreeNode): void {
  const name = text(node['identifier']);
  if (!sources.has(foldName(name))) throw withoutValue(name);
  met.add(foldName(name));
}

const withoutValue = (name: string) =>
  new SqlRefusal(
    'query_failed',
    `The parameter $${name} has no value here. Send one in \`parameters\` if you run a query; elsewhere, write the value into the statement.`,
  );

function checkFunction(node: TreeNode, allowed: ReadonlySet<string>): void {
  const name = text(node['function_name']);
  const qualifiers = [node['catalog'], node['schema']].map((part) => foldName(text(part)));
  if (!allowed.has(foldName(name)) || qualifiers.some(isCatalogName)) throw unavailable(name);
}

/** Names that are engine functions if no column has them; `t.current_user` can only be a column. */
const sessionNames = new Set([
  'current_user',
  'session_user',
  'current_role',
  'current_catalog',
  'current_schema',
]);

function checkColumn(node: TreeNode): void {
  const names = node['column_names'];
  const [name, ...rest] = Array.isArray(names) ? names.map((part) => text(part)) : [];
  if (rest.length === 0 && name !== undefined && sessionNames.has(foldName(name))) throw unavailable(name);
}

/** In `o.name.upper()` the parser takes the column for a schema, so only names of catalogs are refused. */
function isCatalogName(name: string): boolean {
  return /^(lake|memory|system|temp|pg_catalog|information_schema|__ducklake.*)$/.test(name);
}

function walkQuery(walker: Walker, wrapped: TreeNode, outer: Scope): void {
  const node = unwrapped(walker, wrapped);
  const scope = walkCommonTables(walker, node['cte_map'], outer);
  walkFields(walker, node, lookup(queryShapes, node['type']), scope);
  if (node['type'] === 'RECURSIVE_CTE_NODE') {
    const withItself = new Set(scope).add(foldName(text(node['cte_name'])));
    walkField(walker, node['right'] ?? null, 'query', withItself);
  }
}

/** At the top level a statement wraps its query with the names of its parameters. */
function unwrapped({ sources }: Walker, node: TreeNode): TreeNode {
  if (!('node' in node)) return node;
  const { node: inner, named_param_map: parameters, ...rest } = node;
  if (!isNode(inner) || !Array.isArray(parameters) || Object.keys(rest).length > 0)
    throw uninspectable('A part of the statement');
  for (const parameter of parameters) {
    const name = isNode(parameter) ? text(parameter['key']) : '';
    if (!sources.has(foldName(name))) throw withoutValue(name);
  }
  return inner;
}

/** Each common table expression sees those before it; only a recursive one sees itself. */
function walkCommonTables(walker: Walker, map: TreeValue | undefined, outer: Scope): Scope {
  const entries = isNode(map) ? map['map'] : undefined;
  if (!Array.isArray(entries)) throw uninspectable('A part of the statement');
  const scope = new Set(outer);
  for (const entry of entries) {
    const value = isNode(entry) ? entry['value'] : undefined;
    if (!isNode(entry) || !isNode(value)) throw uninspectable('A part of the statement');
    const name = foldName(text(entry['key']));
    // If scoping here ever differed from the engine's, such a name could reach the catalog or a file.
    if (/^(pg_|duckdb_|sqlite_|pragma_|__ducklake)|[./\\:*?]/.test(name)) throw unavailable(name);
    walkFields(walker, value, commonTableShape, scope);
    scope.add(name);
  }
  return scope;
}

function walkTable(walker: Walker, node: TreeNode, scope: Scope): void {
  const shape = lookup(tableShapes, node['type']);
  if (node['type'] === 'SHOW_REF') checkShow(node);
  if (node['type'] === 'TABLE_FUNCTION') {
    const call = node['function'];
    if (!isNode(call) || call['class'] !== 'FUNCTION') throw uninspectable('A table function');
    checkFunction(call, allowedTableFunctions);
    walkFields(walker, call, expressionShapes['FUNCTION'], scope);
  }
  if (isNode(node['at_clause'])) walkAtClause(walker, node['at_clause'], scope);
  walkFields(walker, node, shape, scope);
  if (node['type'] === 'BASE_TABLE' && !isCommonTable(node, scope)) walker.visitTable(node);
}

/** The engine crashes on a null version, and rounds a fractional one. */
function walkAtClause(walker: Walker, clause: TreeNode, scope: Scope): void {
  const { expr } = clause;
  walkField(walker, expr ?? null, 'expressions', scope);
  const value = isNode(expr) && isNode(expr['value']) ? expr['value'] : undefined;
  const isNull = value?.['is_null'] === true;
  const type = isNode(value?.['type']) ? text(value['type']['id']) : '';
  const isVersion = text(clause['unit']).toUpperCase() === 'VERSION';
  if (isNull || (isVersion && !/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?)$/.test(type))) {
    throw new SqlRefusal(
      'query_failed',
      'AT takes a version as a whole number, or a timestamp: AT (VERSION => 7), AT (TIMESTAMP => now() - INTERVAL 1 DAY).',
    );
  }
}

function isCommonTable(node: TreeNode, scope: Scope): boolean {
  return (
    text(node['catalog_name']) === '' &&
    text(node['schema_name']) === '' &&
    node['at_clause'] === null &&
    scope.has(foldName(text(node['table_name'])))
  );
}

/** DESCRIBE and SUMMARIZE carry the SELECT they describe; the other forms list catalogs and databases. */
function checkShow(node: TreeNode): void {
  const describes = node['show_type'] === 'DESCRIBE' || node['show_type'] === 'SUMMARY';
  if (describes && isNode(node['query'])) return;
  throw new SqlRefusal(
    'query_failed',
    'You can only run SHOW TABLES, DESCRIBE and SUMMARIZE, for your own tables.',
  );
}
