import type { TableLayout } from '../../../data/lake/ducklake/table-layout.ts';
import type { TableLayouts, WantedTable } from '../../../data/lake/layouts.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { mayName, wordsIn } from '../../../packages/sql-guard/index.ts';
import type { PlainReading, QueryRelation, QueryRequest } from './request.ts';

/** What was found of the tables that a statement may name. */
export interface Looked<Statement> {
  /** The same statement with plain tables read by their files; undefined if it has to be run as it is. */
  statement: Statement | undefined;
  /** The newest version of each table at its snapshot, by id. */
  versions: ReadonlyMap<string, number>;
  /** See `TablesAtSnapshot`. */
  namesVersion: number;
}

type Readable = Pick<QueryRequest, 'location' | 'plain' | 'relations' | 'sql' | 'atVersions'>;

/** A look at more tables takes longer than it saves. */
const mostTables = 64;

/**
 * Columns that only DuckLake gives, statements about a table itself, and tables at a version. Such a word may
 * mean something else too; then the statement takes the longer way for nothing.
 */
const needsDuckLake =
  /\b(rowid|snapshot_id|filename|file_row_number|file_index|describe|show|summarize)\b|\bat\s*\(|(^|\()\s*desc\b/i;

/** Whether a statement may read tables by their files. */
export const mayReadPlain = (texts: readonly string[]): boolean =>
  texts.every((text) => !needsDuckLake.test(text));

/** No table, view or catalog can be named without one of these. */
const namesTables = /\b(from|join|table|tables|pivot|unpivot|describe|show|summarize)\b|(^|\()\s*desc\b/i;

/** Whether a statement may name anything. */
export const mayNameTables = (sql: string): boolean => namesTables.test(sql);

/** A statement that reads nothing. */
export function readNothing<Statement extends Readable>(lake: Lake, statement: Statement): Statement {
  const { catalog: _, ...location } = lake.reader;
  return { ...statement, location, plain: { tables: [], snapshotId: 0, ways: new Map() } };
}

/** The texts of a statement and of the views that it may name. */
export function textsOf({ sql, relations }: Pick<Readable, 'sql' | 'relations'>): string[] {
  // Rows that were kept may be megabytes of text, which names no table.
  const definitions = everyRelation(relations).flatMap((each) =>
    each.reads?.length === 0 ? [] : (each.definition ?? []),
  );
  return [sql, ...definitions];
}

/** The tables that a statement, and the views behind it, may name; by id. */
export function namedTables(statement: Pick<Readable, 'sql' | 'relations'>): Map<string, WantedTable> {
  const words = wordsIn(textsOf(statement).join('\n'));
  return new Map(
    everyRelation(statement.relations)
      .filter((each) => each.definition === undefined && each.refusal === undefined)
      .filter(({ name }) => mayName(words, name))
      .map(({ id, name }) => [id, { id, name }]),
  );
}

/**
 * Looks at the tables that a statement may name, and has those that are plain read by their files: all tables
 * at one snapshot. Undefined if there are too many.
 */
export async function lookAtTables<Statement extends Readable>(
  layouts: TableLayouts,
  lake: Lake,
  statement: Statement,
): Promise<Looked<Statement> | undefined> {
  const tables = namedTables(statement);
  if (tables.size > mostTables) return undefined;
  const looked = await layouts.newest(lake, [...tables.values()]);
  const { layouts: found, versions, snapshotId, namesVersion } = looked;
  if (tables.size === 0) return { statement: readNothing(lake, statement), versions, namesVersion };

  const plain = new Map([...found].flatMap(([id, { plain }]) => (plain === undefined ? [] : [[id, plain]])));
  if (plain.size === 0 && !/\bexplain\b/i.test(statement.sql))
    return { statement: undefined, versions, namesVersion };
  const others = [...tables.values()].filter(({ id }) => !plain.has(id));
  const reading: PlainReading = {
    tables: [...plain.values()],
    snapshotId,
    ways: new Map([...tables.values()].map(({ id, name }) => [id, `${name}: ${wayOf(found.get(id))}`])),
  };
  return {
    statement: {
      ...statement,
      ...(others.length === 0 ? { location: readNothing(lake, statement).location } : {}),
      plain: reading,
      relations: readFrom(statement.relations, (id) => plain.get(id)?.key),
      // DuckLake reads the others as of the same snapshot.
      atVersions: new Map(others.map(({ name }) => [name, snapshotId])),
    },
    versions,
    namesVersion,
  };
}

/** Tables and views, and those behind views; what is named in several places is an object in each. */
function everyRelation(relations: readonly QueryRelation[]): QueryRelation[] {
  const found = new Set(relations);
  for (const relation of found) for (const read of relation.reads ?? []) found.add(read);
  return [...found];
}

/** Copies in which tables with a key are read by it. Views may name each other. */
function readFrom(
  relations: readonly QueryRelation[],
  keyOf: (id: string) => string | undefined,
): QueryRelation[] {
  const copies = new Map<QueryRelation, QueryRelation>();
  const copied = (relation: QueryRelation): QueryRelation => {
    const known = copies.get(relation);
    if (known !== undefined) return known;
    const copy = { ...relation };
    copies.set(relation, copy);
    const key = relation.definition === undefined ? keyOf(relation.id) : undefined;
    if (key !== undefined) copy.staged = `SELECT * FROM temp.main."${key}"`;
    if (relation.reads !== undefined) copy.reads = relation.reads.map(copied);
    return copy;
  };
  return relations.map(copied);
}

function wayOf(layout: TableLayout | undefined): string {
  if (layout === undefined) return 'read through the lake';
  if (layout.plain === undefined) return `read through the lake, because ${layout.reason}`;
  const files = layout.plain.files.reduce((sum, { urls }) => sum + urls.length, 0);
  const { length: rows } = layout.plain.rows;
  const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
  return `read from ${counted(files, 'file')} and ${counted(rows, 'row')} of the catalog`;
}
