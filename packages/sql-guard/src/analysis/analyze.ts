import { boundedDepth } from '../guard/check.ts';
import type { Parser } from '../guard/parse.ts';
import { SqlRefusal, unavailable } from '../guard/refusal.ts';
import { refuseForeign } from '../guard/rewrite.ts';
import { foldName, isNode, type TreeNode, type TreeValue, text, withoutTail } from '../guard/tree.ts';
import { walkStatement } from '../guard/walk.ts';
import type { Binder } from './binder.ts';
import type { Analysis, Analyzed, ColumnedRelation, ColumnOrigin, DefinitionText } from './contract.ts';
import { incrementOf } from './increment.ts';
import type { Origins } from './influence.ts';
import { originsOf } from './origins.ts';

/** Maximum number of columns of a view or calculated table. */
const maxColumns = 256;

export interface NamedRelation {
  relation: ColumnedRelation;
  /** Byte offset of its name, and its node. */
  table: TreeNode;
}

/** What the guard finds in a definition; refuses what may not stand in one. */
export function relationsNamed(tree: TreeNode, relations: readonly ColumnedRelation[]): NamedRelation[] {
  const byName = new Map(relations.map((relation) => [foldName(relation.name), relation]));
  const named: NamedRelation[] = [];
  refuseListings(tree);
  walkStatement(tree, {
    visitTable: (table) => {
      refuseForeign(table);
      const relation = byName.get(foldName(text(table['table_name'])));
      if (relation === undefined) throw unavailable(text(table['table_name']));
      if (table['at_clause'] !== null)
        throw new SqlRefusal('query_failed', 'A definition always reads current data. Remove AT.');
      named.push({ relation, table });
    },
  });
  return named;
}

function refuseListings(value: TreeValue | undefined): void {
  if (Array.isArray(value)) for (const item of value) refuseListings(item);
  if (!isNode(value)) return;
  if (value['type'] === 'SHOW_REF')
    throw new SqlRefusal('query_failed', 'SHOW, DESCRIBE and SUMMARIZE cannot define a view or table.');
  for (const child of Object.values(value)) refuseListings(child);
}

/** What definitions are analyzed with. */
export interface Analyzer {
  parser: Parser;
  binder: Binder;
  /** Why a result may not have a column of this name; undefined if it may. */
  columnFault(name: string, isBuilt: boolean): string | undefined;
  /** Called between two steps; what it throws ends the work. */
  stopIfInterrupted(): void;
}

/**
 * What the engine knows about each definition, without reading any row. Definitions are analyzed one after
 * the other; the failure of one does not affect the others.
 *
 * @throws what `stopIfInterrupted` throws
 */
export async function analyzeAll(
  analyzer: Analyzer,
  definitions: readonly DefinitionText[],
): Promise<Analyzed[]> {
  const { stopIfInterrupted } = analyzer;
  const analyzed: Analyzed[] = [];
  for (const definition of definitions) {
    stopIfInterrupted();
    try {
      analyzed.push(await boundedDepth(() => analyze(analyzer, definition)));
    } catch (error) {
      if (!(error instanceof SqlRefusal)) throw error;
      stopIfInterrupted();
      analyzed.push({ failure: { code: error.code, message: error.message } });
    }
  }
  return analyzed;
}

async function analyze(
  { parser, binder, columnFault }: Analyzer,
  { query, relations, isBuilt = false }: DefinitionText,
): Promise<Analysis> {
  const tree = await parser.parse(query);
  const named = relationsNamed(tree, relations).map(({ relation }) => relation);
  const reads = [...new Map(named.map((relation) => [relation.id, relation])).values()];
  await binder.shape(reads);
  const { columns, plan } = await binder.bind(withoutTail(query));
  refuseColumns(columns, (name) => columnFault(name, isBuilt));
  const origins = plan === undefined ? undefined : originsOf(plan, columns.length);
  // What is read twice meets itself: rows that are added to it do more than themselves.
  const increment =
    plan === undefined || named.length > reads.length
      ? null
      : await incrementOf(parser, binder, { tree, columns, plan, relations: reads, isBuilt });
  return {
    columns,
    reads: reads.map(({ id }) => id),
    origins: origins?.map((one) => listed(one, reads)) ?? null,
    increment,
  };
}

/**
 * Refuses a result of more than 256 columns, with a column whose name has a fault, or with two columns of one
 * name.
 *
 * @throws SqlRefusal query_failed
 */
export function refuseColumns(
  columns: readonly { name: string }[],
  faultOf: (name: string) => string | undefined,
): void {
  if (columns.length > maxColumns)
    throw new SqlRefusal(
      'query_failed',
      `The query has ${columns.length} columns; the limit of a view or calculated table is ${maxColumns}.`,
    );
  const seen = new Set<string>();
  for (const [index, { name }] of columns.entries()) {
    const fault = faultOf(name);
    if (fault !== undefined)
      throw new SqlRefusal(
        'query_failed',
        `Column ${index + 1} needs another name. Set it with AS. ${fault}`,
      );
    if (seen.has(foldName(name)))
      throw new SqlRefusal(
        'query_failed',
        `Two columns are named ${JSON.stringify(name)}. Rename one of them with AS.`,
      );
    seen.add(foldName(name));
  }
}

function listed(origins: Origins, relations: readonly ColumnedRelation[]): ColumnOrigin[] {
  const idByName = new Map(relations.map(({ id, name }) => [name, id]));
  return [...origins].flatMap(([key, influences]) => {
    const [table, column] = JSON.parse(key) as [string, string];
    const relationId = idByName.get(table);
    return relationId === undefined
      ? []
      : [...influences].map((influence) => ({ relationId, column, influence }));
  });
}
