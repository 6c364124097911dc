import { notFound } from '../../../data/errors.ts';
import { commitOperations, type LakeDeps } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { findOperations, findStatistics, type LakeOperation } from '../../../data/lake/ledger.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import { duckDbType, findPhysicalTable, type LakeColumn, type PhysicalTable } from './columns.ts';
import { fillFromFiles, type StagedFiles } from './fill.ts';
import { type FittedColumns, fitColumns } from './fit-columns.ts';
import { flushHeld, renewableBytes } from './flush.ts';
import { addColumnStatements, retypeColumns } from './retype.ts';

export interface FileMerge {
  organizationId: string;
  tableId: string;
  tableName: string;
  /** Staged rows with unique keys. */
  staged: StagedFiles;
  /** A staged row replaces the rows with its key; without a key it is added. */
  keys: readonly string[];
  /** Without a key: a staged row that the table already has is considered the same and not added. */
  overlap: { cursorColumn: string } | undefined;
  operationId: string;
  runId: string;
  committedBy: string;
}

export interface Merged {
  version: number;
  /** The table's previous columns; undefined if an earlier attempt made the commit. */
  before: readonly LakeColumn[] | undefined;
  after: readonly LakeColumn[];
}

/**
 * Merges staged files into a table in one commit. New columns are appended; a column whose type cannot hold
 * the new values takes a type that holds old and new, STRING as the last resort. The same operation again
 * returns the version of its commit.
 */
export async function mergeFiles(deps: LakeDeps, merge: FileMerge): Promise<Merged> {
  const { organizationId, operationId, tableId } = merge;
  const lake = await deps.catalog.get(organizationId);
  return deps.locks.hold(tableId, async () => {
    const done = (await findOperations(deps.catalogPool, lake.schema, [operationId])).get(operationId);
    const physical = await findPhysicalTable(deps.catalogPool, lake.schema, merge.tableName);
    if (physical === undefined) throw notFound('The table');
    if (done !== undefined) return { version: done.version, before: undefined, after: physical.columns };
    return deps.engine.use(lake.writer, async (connection) => {
      await connection.run("SET TimeZone = 'UTC'");
      if (physical.sizeBytes > renewableBytes) await flushHeld(deps, lake, physical, connection);
      const fitted = await gather(connection, physical, merge);
      const before = physical.columns;
      // The lake does not create an empty snapshot.
      if (fitted === undefined) {
        const version = (await findStatistics(deps.catalogPool, lake.schema, tableId))?.version ?? 0;
        return { version, before, after: before };
      }
      const work = async () => [await mergeInto(connection, lake.schema, physical, merge, fitted)];
      const version = await commitOperations(deps, lake, work, connection);
      await connection.run(`DROP TABLE IF EXISTS ${incoming}`);
      return { version, before, after: fitted.columns };
    });
  });
}

/** The rows to merge, in the types that the table will have. */
const incoming = 'temp.main.incoming_rows';

interface Gathered extends FittedColumns {
  /** The table has no rows, so its types do not matter yet: the files become its content. */
  isFirst: boolean;
}

/** Undefined if the table already has everything. */
async function gather(
  connection: EngineConnection,
  physical: PhysicalTable,
  { staged, keys, overlap }: FileMerge,
): Promise<Gathered | undefined> {
  const table = identifier(physical.name);
  const { rows: some } = await connection.read(`SELECT 1 FROM ${table} LIMIT 1`);
  if (some.length === 0)
    return { columns: [...staged.columns], retypes: new Map(), added: [], isFirst: true };
  const source = `read_parquet([${staged.files.map(({ url }) => literal(url)).join(', ')}])`;
  const fitted = await fitColumns(connection, physical, { ...staged, source });
  const { columns } = fitted;
  const known =
    keys.length > 0 || overlap === undefined
      ? ''
      : ` EXCEPT ALL SELECT ${castList(columns, physical.columns)} FROM ${table}${await sinceFilter(connection, columns, { ...staged, source }, overlap)}`;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE incoming_rows AS SELECT ${castList(columns, staged.columns)} FROM ${source}${known}`,
  );
  const { rows: left } = await connection.read(`SELECT 1 FROM ${incoming} LIMIT 1`);
  const changesColumns = fitted.retypes.size + fitted.added.length > 0;
  return left.length === 0 && !changesColumns ? undefined : { ...fitted, isFirst: false };
}

/** Selects the columns in order from the available ones, each cast to its type. */
function castList(columns: readonly LakeColumn[], from: readonly LakeColumn[]): string {
  const values = columns.map(({ name, dataType }) => {
    const own = from.find((column) => isSame(column.name, name));
    const value = own === undefined ? 'NULL' : identifier(own.name);
    return own?.dataType === dataType
      ? `${value} AS ${identifier(name)}`
      : `CAST(${value} AS ${duckDbType(dataType)}) AS ${identifier(name)}`;
  });
  return values.join(', ');
}

/** Changes the columns and inserts the gathered rows, inside the transaction. */
async function mergeInto(
  connection: EngineConnection,
  catalogName: string,
  physical: PhysicalTable,
  { staged, keys, tableId, operationId, runId, committedBy }: FileMerge,
  { columns, retypes, added, isFirst }: Gathered,
): Promise<LakeOperation> {
  const own = { id: operationId, tableId, runId, committedBy };
  const table = identifier(physical.name);
  if (isFirst) {
    await connection.run(`DROP TABLE ${table}`);
    await fillFromFiles(connection, catalogName, physical.name, staged);
    return { ...own, operation: 'replace', rowsAdded: staged.rows, rowsRemoved: 0 };
  }
  if (retypes.size > 0) await retypeColumns(connection, physical.name, physical.columns, retypes, 'declared');
  for (const [place, { name, nullable }] of physical.columns.entries())
    if (!nullable && columns[place]!.nullable)
      await connection.run(`ALTER TABLE ${table} ALTER ${identifier(name)} DROP NOT NULL`);
  for (const column of added)
    for (const statement of addColumnStatements(physical.name, column)) await connection.run(statement);
  const names = columns.map(({ name }) => identifier(name)).join(', ');
  const equal = keys.map((key) => {
    const name = identifier(columns.find((column) => isSame(column.name, key))?.name ?? key);
    return `t.${name} IS NOT DISTINCT FROM i.${name}`;
  });
  const rowsRemoved =
    keys.length === 0
      ? 0
      : await connection.run(`DELETE FROM ${table} AS t USING ${incoming} AS i WHERE ${equal.join(' AND ')}`);
  const rowsAdded = await connection.run(`INSERT INTO ${table} (${names}) SELECT ${names} FROM ${incoming}`);
  return { ...own, operation: keys.length === 0 ? 'append' : 'upsert', rowsAdded, rowsRemoved };
}

/**
 * Only rows from the smallest incoming cursor value on can be repeated; with statistics, few files have to be
 * read.
 */
async function sinceFilter(
  connection: EngineConnection,
  columns: readonly LakeColumn[],
  staged: { columns: readonly LakeColumn[]; source: string },
  { cursorColumn }: NonNullable<FileMerge['overlap']>,
): Promise<string> {
  const column = columns.find(({ name }) => isSame(name, cursorColumn));
  if (column === undefined || !staged.columns.some(({ name }) => isSame(name, cursorColumn))) return '';
  const [name, type] = [identifier(column.name), duckDbType(column.dataType)];
  const { rows } = await connection.read(
    `SELECT CAST(min(TRY_CAST(${name} AS ${type})) AS VARCHAR), count(*) = count(TRY_CAST(${name} AS ${type})) FROM ${staged.source}`,
  );
  const [least, isWhole] = rows[0]!;
  return isWhole === true ? ` WHERE ${name} >= CAST(${literal(String(least))} AS ${type})` : '';
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
