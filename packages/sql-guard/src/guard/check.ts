import type { Parameter, Relation } from '../request.ts';
import { type ColumnName, namesWithTables } from './column-names.ts';
import { explainedBy } from './explain.ts';
import { type Parser, type ParseSelect, withPlainSpaces } from './parse.ts';
import { SqlRefusal, uninspectable } from './refusal.ts';
import { knownRelations } from './relations.ts';
import { type RewriteContext, refuseForeign, rewriteTables } from './rewrite.ts';
import { hasLimitWithin, withRowLimit } from './row-limit.ts';
import { isShowTables, listing } from './show-tables.ts';
import { foldName, sameTree, type TreeNode, text } from './tree.ts';
import { walkStatement } from './walk.ts';

export interface CheckedStatement {
  /** The statement with fully qualified tables; it reads only `scannedRelationIds`. */
  sql: string;
  scannedRelationIds: string[];
  /** Column names that the rewriting would change, as they must be shown. */
  columnNames: ColumnName[];
  /** Whether the engine itself stops shortly after the wanted number of rows. */
  isBounded: boolean;
  /** Whether it is an EXPLAIN. */
  isPlan?: boolean;
}

export interface StatementToCheck {
  sql: string;
  /** Every relation that exists for the statement. */
  relations: readonly Relation[];
  /** Each occurs in `sql` as `$name`; parameters written in the statement itself have no values. */
  parameters?: readonly Parameter[];
  /** Names of relations that it must read: the placeholders written for tables. */
  tableSources?: readonly string[];
  /** Relation name to the snapshot it is read at; a view reads all its tables there. */
  atVersions: ReadonlyMap<string, number>;
  /** Number of rows that are read; all if undefined. */
  limit: number | undefined;
  /**
   * Relation name to the snapshot after which rows were added to it: of a table that is read at a version,
   * only those are read.
   */
  addedAfter?: ReadonlyMap<string, number>;
  /** Whether it may be an EXPLAIN of one. */
  mayExplain?: boolean;
}

/**
 * Refuses a statement that may not run, and returns the text to run. That text is parsed again and must have
 * exactly the tree that was checked, so an error in the rewriting cannot introduce anything the walk did not
 * see.
 */
export function checkStatement(parser: Parser, statement: StatementToCheck): Promise<CheckedStatement> {
  return boundedDepth(() => {
    const explained = statement.mayExplain === true ? explainedBy(statement.sql) : undefined;
    return explained === undefined ? check(parser, statement) : explain(parser, statement, explained);
  });
}

/**
 * Refuses a statement that could not run whatever tables exist, and returns the names of the tables it needs.
 */
export function checkDraft(
  { parse }: Parser,
  { sql, parameters = [], tableSources = [] }: Pick<StatementToCheck, 'sql' | 'parameters' | 'tableSources'>,
): Promise<string[]> {
  return boundedDepth(async () => {
    const tree = await parsed(parse, withPlainSpaces(sql), parameters);
    const names = new Set<string>();
    const visitTable = (table: TreeNode) => {
      refuseForeign(table);
      names.add(text(table['table_name']));
    };
    if (!isShowTables(tree)) walkStatement(tree, { visitTable, parameters });
    for (const source of tableSources) if (!names.delete(source)) throw noTable(source);
    return [...names];
  });
}

/** A statement may be nested more deeply than the walk can follow. */
export async function boundedDepth<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SqlRefusal('query_failed', 'The statement is nested too deeply.');
  }
}

/** A plan shows what is behind views too, so each of it must be there for the caller. */
async function explain(
  parser: Parser,
  statement: StatementToCheck,
  explained: string,
): Promise<CheckedStatement> {
  const checked = await check(parser, { ...statement, sql: explained, limit: undefined });
  const known = new Set(statement.relations.map(({ id }) => id));
  if (checked.scannedRelationIds.some((id) => !known.has(id)))
    throw new SqlRefusal(
      'query_failed',
      'The plan would show tables behind a view that you may not read; explain a SELECT over tables.',
    );
  return { ...checked, sql: `EXPLAIN ${checked.sql}`, columnNames: [], isBounded: true, isPlan: true };
}

async function check({ parse, print }: Parser, statement: StatementToCheck): Promise<CheckedStatement> {
  const sql = withPlainSpaces(statement.sql);
  const { parameters = [] } = statement;
  const tree = await parsed(parse, sql, parameters);
  if (isShowTables(tree)) {
    const shown = listing(statement.relations);
    return { sql: shown, scannedRelationIds: [], columnNames: [], isBounded: false };
  }
  const context: RewriteContext = {
    relations: await knownRelations(statement.relations, sql, parse),
    atVersions: folded(statement.atVersions),
    addedAfter: folded(statement.addedAfter ?? new Map()),
    hidesFileNames: [sql, ...statement.relations.map((relation) => relation.definition ?? '')].some(
      (source) => /filename/i.test(source),
    ),
    scanned: new Set(),
    parameters,
  };
  const columnNames = await namesWithTables(tree, print);
  const rewritten = rewriteTables(sql, tree, context);
  for (const source of statement.tableSources ?? [])
    if (!context.scanned.delete(source)) throw noTable(source);
  const wanted = statement.limit === undefined ? undefined : statement.limit + 1;
  const limited = wanted === undefined ? undefined : withRowLimit(rewritten, tree, wanted);
  const scanned = { columnNames, scannedRelationIds: [...context.scanned] };
  if (limited !== undefined && sameTree(await reparsed(parse, limited.sql), limited.tree)) {
    return { ...scanned, sql: limited.sql, isBounded: true };
  }
  if (!sameTree(await reparsed(parse, rewritten), tree)) throw uninspectable('A table name');
  return { ...scanned, sql: rewritten, isBounded: wanted !== undefined && hasLimitWithin(tree, wanted) };
}

const folded = (byName: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...byName].map(([name, value]) => [foldName(name), value]));

/** The placeholder was parsed as a column name, or as text within quotes. */
const noTable = (source: string) =>
  new SqlRefusal(
    'query_failed',
    `${source} is a table. Write it without quotes, in a place where SQL allows a table name.`,
  );

/**
 * The engine's error for a parameter in a place where no value is allowed does not help a user who wrote a
 * placeholder.
 */
async function parsed(parse: ParseSelect, sql: string, parameters: readonly Parameter[]): Promise<TreeNode> {
  try {
    return await parse(sql);
  } catch (error) {
    if (parameters.length === 0 || !(error instanceof SqlRefusal) || !error.message.includes('near "$"'))
      throw error;
    const hint =
      'A placeholder is a value. It cannot be a name, a keyword or part of a literal. Write CAST(${…} AS DATE) for DATE ${…}.';
    throw new SqlRefusal(error.code, `${error.message}. ${hint}`);
  }
}

async function reparsed(parse: ParseSelect, sql: string): Promise<TreeNode | undefined> {
  try {
    return await parse(sql);
  } catch (error) {
    if (error instanceof SqlRefusal) return undefined;
    throw error;
  }
}
