import { randomUUID } from 'node:crypto';
import { AppError } from '../../../data/errors.ts';
import { internalColumnPrefix } from '../../../data/lake/ducklake/catalog.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { type StagedFile, writeParquet } from '../../../packages/file-reader/index.ts';
import { duplicateRowId } from '../../tables/row-input/duplicates.ts';
import { createdAtColumn, deletedField, rowIdColumn } from '../../tables/tables/column-name.ts';
import { duckDbType, type LakeColumn } from '../../tables/tables/columns.ts';
import { pageColumns, type TargetColumns } from './columns.ts';
import type { StagedPage } from './staged-pages.ts';

/** Pages per statement: limits its length, its open files and the time without progress. */
const pagesAtOnce = 400;

export interface PageFilesDeps {
  connection: EngineConnection;
  objects: ObjectStore;
  /** Folder of the lake for the files; ends with a slash. */
  prefixUrl: string;
  /** Called after each statement with the number of pages done. */
  progress: (pages: number) => void;
}

/**
 * Writes the batch's records to files of the lake with the table's columns, in the order of pages and
 * records.
 */
export async function writeRecords(
  deps: PageFilesDeps,
  pages: readonly StagedPage[],
  target: TargetColumns,
): Promise<StagedFile[]> {
  const files: StagedFile[] = [];
  let done = 0;
  for (const group of groups(pages)) {
    files.push(...(await write(deps, selectRecords(deps, group, target.columns), group, target.columns)));
    done += group.length;
    deps.progress(done);
  }
  return files;
}

/** The records that an upsert is reduced to, in a temporary table of the connection. */
export interface IncomingRows {
  table: string;
  /** Number of records to write, without deletions. */
  rows: number;
  deletions: number;
  /** The creation time of new rows, the same for all. */
  createdAt: string;
}

/** Keeps the last record of each key, by page and position. The caller drops the table. */
export async function keepLastOfEachKey(
  deps: PageFilesDeps,
  pages: readonly StagedPage[],
  target: TargetColumns,
  keys: readonly string[],
): Promise<IncomingRows | undefined> {
  const all = [...groups(pages)]
    .map((group) =>
      selectRecords(deps, group, target.columns, [...orderColumns, isDeletedIn(group, target.columns)]),
    )
    .join('\nUNION ALL ');
  if (all === '') return undefined;
  const name = identifier(`incoming_${randomUUID()}`);
  const names = target.columns.map((column) => identifier(column.name));
  await deps.connection.run(
    `CREATE TEMP TABLE ${name} AS SELECT ${names.join(', ')}, ${isDeleted} FROM (${all})
     QUALIFY row_number() OVER (PARTITION BY ${keys.map(identifier).join(', ')} ORDER BY ${pageOrder} DESC, ${recordOrder} DESC) = 1`,
  );
  const table = `temp.main.${name}`;
  const counted = await deps.connection.read(
    `SELECT count(*) FILTER (NOT ${isDeleted}), count(*) FILTER (${isDeleted}),
       CAST(any_value(${identifier(createdAtColumn)}) AS VARCHAR) FROM ${table}`,
  );
  deps.progress(pages.length);
  const [rows, deletions, createdAt] = counted.rows[0]!;
  return { table, rows: Number(rows), deletions: Number(deletions), createdAt: String(createdAt) };
}

/** Writes the records that an upsert is reduced to, with the flag of those that delete their row. */
export async function writeIncoming(
  { connection, objects, prefixUrl }: PageFilesDeps,
  { table }: IncomingRows,
  columns: readonly LakeColumn[],
): Promise<StagedFile[]> {
  const names = [...columns.map(({ name }) => identifier(name)), isDeleted];
  const read = async (sql: string) => (await connection.read(sql)).rows;
  const target = { store: objects, prefixUrl: `${prefixUrl}incoming/`, columns: names.length };
  return writeParquet(read, `SELECT ${names.join(', ')} FROM ${table}`, {
    ...target,
    sourceBytes: 0,
  });
}

/** Names that cannot occur in users' records. */
const pageOrder = identifier(`${internalColumnPrefix}page`);
const recordOrder = identifier(`${internalColumnPrefix}record`);
const pageFile = `${internalColumnPrefix}file`;
/** Whether a record deletes its row. */
export const deletedFlag: LakeColumn = {
  ...{ name: `${internalColumnPrefix}deleted`, dataType: 'BOOLEAN', nullable: false, typing: 'declared' },
};
export const isDeleted = identifier(deletedFlag.name);

function isDeletedIn(pages: readonly StagedPage[], columns: readonly LakeColumn[]): string {
  const isField =
    pageColumns(pages[0]!).some(({ name }) => name === deletedField) &&
    !columns.some(({ name }) => name === deletedField);
  return `${isField ? `coalesce(p.${identifier(deletedField)}, false)` : 'false'} AS ${isDeleted}`;
}

const orderColumns = [
  `CAST(regexp_extract(p.${identifier(pageFile)}, '([0-9]+)-[^/]*$', 1) AS INTEGER) AS ${pageOrder}`,
  `p.file_row_number AS ${recordOrder}`,
];

/** Pages with records in groups of some hundred; within a group all have the same columns and types. */
function* groups(pages: readonly StagedPage[]): Generator<StagedPage[]> {
  let group: StagedPage[] = [];
  let signature = '';
  for (const page of pages) {
    if (page.object_key === null) continue;
    const own = JSON.stringify(page.columns);
    if (group.length >= pagesAtOnce || (group.length > 0 && own !== signature)) {
      yield group;
      group = [];
    }
    signature = own;
    group.push(page);
  }
  if (group.length > 0) yield group;
}

/** SELECT for the records of pages with the same columns, as rows of the table. */
function selectRecords(
  { objects }: Pick<PageFilesDeps, 'objects'>,
  pages: readonly StagedPage[],
  columns: readonly LakeColumn[],
  more: readonly string[] = [],
): string {
  const own = new Map(pageColumns(pages[0]!).map(({ name, dataType }) => [name, dataType]));
  const values = columns.map(({ name, dataType }) => {
    const quoted = identifier(name);
    if (name === createdAtColumn) return `now()::${duckDbType(dataType)} AS ${quoted}`;
    const type = own.get(name);
    if (type === dataType) return `p.${quoted}`;
    return `CAST(${type === undefined ? 'NULL' : `p.${quoted}`} AS ${duckDbType(dataType)}) AS ${quoted}`;
  });
  return `SELECT ${[...values, ...more].join(', ')} FROM ${pagesSource(objects, pages, more.length > 0)} AS p`;
}

function pagesSource(objects: ObjectStore, pages: readonly StagedPage[], withOrder: boolean): string {
  const urls = pages.map(({ object_key: key }) => literal(`s3://${objects.settings.bucket}/${key}`));
  const order = withOrder ? `, filename = ${literal(pageFile)}, file_row_number = true` : '';
  return `read_parquet([${urls.join(', ')}]${order})`;
}

async function write(
  { connection, objects, prefixUrl }: PageFilesDeps,
  select: string,
  pages: readonly StagedPage[],
  columns: readonly LakeColumn[],
): Promise<StagedFile[]> {
  const sourceBytes = pages.reduce((sum, { size_bytes: bytes }) => sum + bytes, 0);
  const read = async (sql: string) => (await connection.read(sql)).rows;
  return writeParquet(read, select, { store: objects, prefixUrl, columns: columns.length, sourceBytes });
}

/** Rejects s_ids that occur in more than one page. Pages with disjoint ranges are not read. */
export async function refuseRepeatedRowIds(
  { connection, objects }: PageFilesDeps,
  pages: readonly StagedPage[],
): Promise<void> {
  const touching = overlapping(pages);
  if (touching.length === 0) return;
  const { rows } = await connection.read(
    `SELECT ${rowIdColumn} FROM ${pagesSource(objects, touching, false)}
     GROUP BY ${rowIdColumn} HAVING count(*) > 1 ORDER BY ${rowIdColumn} LIMIT 10`,
  );
  if (rows.length > 0) throw duplicateRowId(rows.map(([id]) => id as bigint));
}

/** Pages whose range of s_ids overlaps another's. Each page was checked on its own when staged. */
function overlapping(pages: readonly StagedPage[]): StagedPage[] {
  const ranges = pages
    .filter(({ row_id_min: min }) => min !== null)
    .map((page) => ({ page, min: BigInt(page.row_id_min!), max: BigInt(page.row_id_max!) }))
    .toSorted((a, b) => (a.min < b.min ? -1 : a.min > b.min ? 1 : 0));
  const touching = new Set<StagedPage>();
  let widest = ranges[0];
  for (const range of ranges.slice(1)) {
    if (range.min <= widest!.max) {
      touching.add(widest!.page);
      touching.add(range.page);
    }
    if (range.max > widest!.max) widest = range;
  }
  return pages.filter((page) => touching.has(page));
}

/** Rejects integers that a widening to DOUBLE would round. */
export async function refuseLossyIntegers(
  { connection, objects }: PageFilesDeps,
  pages: readonly StagedPage[],
  columns: readonly string[],
): Promise<void> {
  for (const column of columns) {
    const withIntegers = pages.filter((page) =>
      pageColumns(page).some(({ name, dataType }) => name === column && dataType === 'INTEGER'),
    );
    for (let start = 0; start < withIntegers.length; start += pagesAtOnce) {
      const source = pagesSource(objects, withIntegers.slice(start, start + pagesAtOnce), false);
      const {
        rows: [first],
      } = await connection.read(
        `SELECT ${identifier(column)} FROM ${source}
         WHERE ${identifier(column)} NOT BETWEEN -9007199254740992 AND 9007199254740992 LIMIT 1`,
      );
      if (first === undefined) continue;
      throw new AppError(
        'conflict',
        `Column ${JSON.stringify(column)} has fractions and the integer ${String(first[0])}. No inferred type holds both exactly. Retype the column to DECIMAL(p,s).`,
      );
    }
  }
}
