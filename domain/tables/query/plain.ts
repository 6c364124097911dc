import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { TableLayout } from '../../../data/lake/ducklake/table-layout.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { mayName, wordsIn } from '../../../packages/sql-guard/index.ts';
import type { PlainReading, QueryRelation, QueryRequest } from './request.ts';

/** A statement that reads tables by their files where it can. */
export interface PlainStatement<Statement> {
  statement: Statement;
  /** The newest version of each table at its snapshot, by id. */
  versions: ReadonlyMap<string, number>;
}

/** A look at more tables takes longer than it saves. */
const mostTables = 64;

/**
 * Columns that only DuckLake gives, statements about a table itself, and tables at a version. Such a word may
 * mean something else too; then the statement takes the longer way for nothing.
 */
const needsDuckLake =
  /\b(rowid|snapshot_id|filename|file_row_number|file_index|describe|show|summarize)\b|\bat\s*\(|(^|\()\s*desc\b/i;

/**
 * The same statement with plain tables read by their files, all tables at one snapshot. Undefined if it has
 * to be run as it is.
 */
export async function readPlain<
  Statement extends Pick<QueryRequest, 'location' | 'plain' | 'relations' | 'sql' | 'atVersions'>,
>(
  { layouts }: Pick<LakeDeps, 'layouts'>,
  lake: Lake,
  statement: Statement,
): Promise<PlainStatement<Statement> | undefined> {
  if (layouts === undefined || statement.atVersions.size > 0) return undefined;
  const all = everyRelation(statement.relations);
  // Rows that were kept may be megabytes of text, which names no table.
  const texts = [
    statement.sql,
    ...all.flatMap((each) => (each.reads?.length === 0 ? [] : (each.definition ?? []))),
  ];
  if (texts.some((text) => needsDuckLake.test(text))) return undefined;
  const words = wordsIn(texts.join('\n'));
  const tables = new Map(
    all
      .filter(
        (each) => each.definition === undefined && each.refusal === undefined && mayName(words, each.name),
      )
      .map(({ id, name }) => [id, { id, name }]),
  );
  if (tables.size > mostTables) return undefined;
  const { catalog: _, ...files } = lake.reader;
  if (tables.size === 0) {
    const plain = { tables: [], snapshotId: 0, ways: new Map() };
    return { statement: { ...statement, location: files, plain }, versions: new Map() };
  }

  const { layouts: found, versions, snapshotId } = await layouts.newest(lake, [...tables.values()]);
  const plain = new Map([...found].flatMap(([id, { plain }]) => (plain === undefined ? [] : [[id, plain]])));
  if (plain.size === 0 && !/\bexplain\b/i.test(statement.sql)) return undefined;
  const others = [...tables.values()].filter(({ id }) => !plain.has(id));
  const reading: PlainReading = {
    tables: [...plain.values()],
    snapshotId,
    ways: new Map([...tables.values()].map(({ id, name }) => [id, `${name}: ${wayOf(found.get(id))}`])),
  };
  return {
    statement: {
      ...statement,
      ...(others.length === 0 ? { location: files } : {}),
      plain: reading,
      relations: readFrom(statement.relations, (id) => plain.get(id)?.key),
      // DuckLake reads the others as of the same snapshot.
      atVersions: new Map(others.map(({ name }) => [name, snapshotId])),
    },
    versions,
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
