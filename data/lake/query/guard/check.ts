import type { QueryRelation, QueryRequest } from '../request.ts';
import { type ColumnName, namesWithTables } from './column-names.ts';
import { type Parser, type ParseSelect, withPlainSpaces } from './parse.ts';
import { QueryRefusal, uninspectable } from './refusal.ts';
import { knownRelations } from './relations.ts';
import { type RewriteContext, rewriteTables } from './rewrite.ts';
import { constant } from './synthetic.ts';
import { foldName, isNode, sameTree, type TreeNode, text } from './tree.ts';

export interface CheckedStatement {
  /** The statement with its tables made unmistakable; reads nothing but `scannedRelationIds`. */
  sql: string;
  scannedRelationIds: string[];
  /** Names that the rewriting would change, as they must be shown. */
  columnNames: ColumnName[];
}

export type StatementToCheck = Pick<QueryRequest, 'sql' | 'relations' | 'limit' | 'atVersions'>;

/**
 * Refuses what may not run and gives the text that may. That text is parsed again and must have exactly the
 * tree that was checked, so no slip in the rewriting can smuggle in what the walk did not see.
 */
export async function checkStatement(
  { parse, print }: Parser,
  statement: StatementToCheck,
): Promise<CheckedStatement> {
  const sql = withPlainSpaces(statement.sql);
  const tree = await parse(sql);
  if (isShowTables(tree))
    return { sql: listing(statement.relations), scannedRelationIds: [], columnNames: [] };
  const context: RewriteContext = {
    relations: await knownRelations(statement.relations, sql, parse),
    atVersions: new Map([...statement.atVersions].map(([name, version]) => [foldName(name), version])),
    hidesFileNames: [sql, ...statement.relations.map((relation) => relation.definition ?? '')].some(
      (source) => /filename/i.test(source),
    ),
    scanned: new Set(),
  };
  const columnNames = await namesWithTables(tree, print);
  const rewritten = withoutDeepRecursion(() => rewriteTables(sql, tree, context));
  const limited = await withRowLimit(parse, rewritten, tree, statement.limit + 1);
  if (limited === undefined && !sameTree(await reparsed(parse, rewritten), tree)) {
    throw uninspectable('A table name');
  }
  return { sql: limited ?? rewritten, scannedRelationIds: [...context.scanned], columnNames };
}

async function reparsed(parse: ParseSelect, sql: string): Promise<TreeNode | undefined> {
  try {
    return await parse(sql);
  } catch (error) {
    if (error instanceof QueryRefusal) return undefined;
    throw error;
  }
}

function withoutDeepRecursion<T>(walk: () => T): T {
  try {
    return walk();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new QueryRefusal('query_failed', 'The statement is nested too deeply.');
  }
}

/**
 * Tells the engine how many rows are wanted, which turns a sort of everything into a search for the first.
 * Only where the statement sets no limit of its own, and only if the longer text parses to just that.
 */
async function withRowLimit(
  parse: ParseSelect,
  sql: string,
  tree: TreeNode,
  rows: number,
): Promise<string | undefined> {
  const modifiers = tree['modifiers'];
  const from = tree['from_table'];
  if (!Array.isArray(modifiers) || (isNode(from) && from['type'] === 'SHOW_REF')) return undefined;
  if (modifiers.some((modifier) => isNode(modifier) && text(modifier['type']).startsWith('LIMIT'))) {
    return undefined;
  }
  const candidate = `${sql.replace(/[\s;]+$/, '')}\nLIMIT ${rows}`;
  const modifier: TreeNode = { type: 'LIMIT_MODIFIER', limit: constant(rows), offset: null };
  const expected = { ...tree, modifiers: [...modifiers, modifier] };
  return sameTree(await reparsed(parse, candidate), expected) ? candidate : undefined;
}

function isShowTables(tree: TreeNode): boolean {
  const from = tree['from_table'];
  return (
    isNode(from) &&
    from['type'] === 'SHOW_REF' &&
    from['show_type'] === 'SHOW_UNQUALIFIED' &&
    from['query'] === null &&
    text(from['table_name']) === '"tables"'
  );
}

/** SHOW TABLES from what the organization has, not from the engine's catalog. */
function listing(relations: readonly QueryRelation[]): string {
  const names = relations.map((relation) => `('${relation.name.replaceAll("'", "''")}')`);
  if (names.length === 0) return `SELECT '' AS "name" WHERE false`;
  return `SELECT "name" FROM (VALUES ${names.join(', ')}) AS listed("name") ORDER BY "name"`;
}
