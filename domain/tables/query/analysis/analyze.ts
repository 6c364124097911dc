import type {
  Analysis,
  Analyzed,
  ColumnedRelation,
  ColumnOrigin,
  DefinitionText,
} from '../../definitions/analysis.ts';
import {
  columnNameFault,
  createdAtColumn,
  resultColumnFault,
  rowIdColumn,
} from '../../tables/column-name.ts';
import { boundedDepth } from '../guard/check.ts';
import type { Parser } from '../guard/parse.ts';
import { QueryRefusal, unavailable } from '../guard/refusal.ts';
import { refuseForeign } from '../guard/rewrite.ts';
import { foldName, isNode, type TreeNode, type TreeValue, text, withoutTail } from '../guard/tree.ts';
import { walkStatement } from '../guard/walk.ts';
import { incrementOf } from './increment.ts';
import type { Origins } from './influence.ts';
import { originsOf } from './origins.ts';
import type { Shadow } from './shadow.ts';

/** Maximum number of columns of a view or calculated table. */
export const maxColumns = 256;

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
        throw new QueryRefusal('query_failed', 'A definition reads the present: leave out AT.');
      named.push({ relation, table });
    },
  });
  return named;
}

function refuseListings(value: TreeValue | undefined): void {
  if (Array.isArray(value)) for (const item of value) refuseListings(item);
  if (!isNode(value)) return;
  if (value['type'] === 'SHOW_REF')
    throw new QueryRefusal('query_failed', 'SHOW, DESCRIBE and SUMMARIZE cannot define a view or table.');
  for (const child of Object.values(value)) refuseListings(child);
}

/** Analyzes definitions one after the other; the failure of one does not affect the others. */
export async function analyzeAll(
  parser: Parser,
  shadow: Shadow,
  definitions: readonly DefinitionText[],
  stopIfInterrupted: () => void,
): Promise<Analyzed[]> {
  const analyzed: Analyzed[] = [];
  for (const definition of definitions) {
    stopIfInterrupted();
    try {
      analyzed.push(await boundedDepth(() => analyze(parser, shadow, definition)));
    } catch (error) {
      if (!(error instanceof QueryRefusal)) throw error;
      stopIfInterrupted();
      analyzed.push({ failure: { code: error.code, message: error.message } });
    }
  }
  return analyzed;
}

async function analyze(
  parser: Parser,
  shadow: Shadow,
  { query, relations, isBuilt = false }: DefinitionText,
): Promise<Analysis> {
  const tree = await parser.parse(query);
  const named = relationsNamed(tree, relations).map(({ relation }) => relation);
  const reads = [...new Map(named.map((relation) => [relation.id, relation])).values()];
  await shadow.shape(reads);
  const { columns, plan } = await shadow.bind(withoutTail(query));
  refuseColumns(columns, isBuilt ? columnNameFault : resultColumnFault);
  const origins = plan === undefined ? undefined : originsOf(plan, columns.length);
  // What is read twice meets itself: rows that are added to it do more than themselves.
  const increment =
    plan === undefined || named.length > reads.length
      ? null
      : await incrementOf(parser, shadow, { tree, columns, plan, relations: reads, isBuilt });
  return {
    columns,
    reads: reads.map(({ id }) => id),
    origins: origins?.map((one) => listed(one, reads)) ?? null,
    increment,
  };
}

/** A result may have the automatic columns of the table that it reads. */
const automatic: ReadonlySet<string> = new Set([rowIdColumn, createdAtColumn]);

export function refuseColumns(
  columns: readonly { name: string }[],
  faultOf: (name: string) => string | undefined,
): void {
  if (columns.length > maxColumns)
    throw new QueryRefusal(
      'query_failed',
      `The query has ${columns.length} columns; a view or calculated table has at most ${maxColumns}.`,
    );
  const seen = new Set<string>();
  for (const [index, { name }] of columns.entries()) {
    const fault = automatic.has(foldName(name)) ? undefined : faultOf(name);
    if (fault !== undefined)
      throw new QueryRefusal('query_failed', `Column ${index + 1} needs another name, given by AS. ${fault}`);
    if (seen.has(foldName(name)))
      throw new QueryRefusal(
        'query_failed',
        `Two columns are named ${JSON.stringify(name)}: give one another name by AS.`,
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
