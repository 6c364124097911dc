import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier, literal } from '../../../../data/lake/sql.ts';
import {
  applyNames,
  checkStatement,
  type Increment,
  overGroups,
  type Parser,
  refuseColumns,
} from '../../../../packages/sql-guard/index.ts';
import { definedColumnFault } from '../defined-columns.ts';
import type { AddedRows, BuildTask, Built } from './contract.ts';
import { columnsAt, tableAt } from './shape.ts';
import { smallRowGroupRows, storedAs, writeFiles } from './write-files.ts';

/** One way of building, within a transaction. */
export interface Build {
  connection: DuckDBConnection;
  parser: Parser;
  task: BuildTask;
  shape: string;
}

type Groups = Extract<Increment, { kind: 'groups' }>;

/** Everything, by the statement itself. */
export async function buildWhole(build: Build): Promise<Built> {
  return {
    ...(await writeStatement(build, build.task.sql)),
    mode: 'full',
    groupFiles: [],
    shape: build.shape,
  };
}

/** What the rows that were added give more; undefined if more happened. */
export async function buildAddedRows(build: Build): Promise<Built | undefined> {
  const added = await addedOf(build);
  if (added === undefined) return undefined;
  const written = await writeStatement(build, build.task.sql, added);
  return { ...written, mode: 'rows', groupFiles: [], shape: build.shape };
}

/** Everything, over what is kept for each group from then on. */
export async function buildGroups(build: Build): Promise<Built | undefined> {
  const groups = build.task.increment as Groups;
  return resultOver(build, groups, (await check(build, groups.partial)).sql, 'full');
}

/** Everything, from what was kept for each group and the rows that were added. */
export async function mergeGroups(build: Build): Promise<Built | undefined> {
  const groups = build.task.increment as Groups;
  const added = await addedOf(build);
  if (added === undefined || added.groupFiles.length === 0) return undefined;
  const { sql: more } = await check(build, groups.partial, added);
  const keys = groups.keys.map(identifier);
  const parts = groups.parts.map(
    ({ name, merge, type }) => `CAST(${merge}(${identifier(name)}) AS ${type}) AS ${identifier(name)}`,
  );
  const groupBy = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`;
  const merged = `SELECT ${[...keys, ...parts].join(', ')}
    FROM (SELECT * FROM ${parquet(added.groupFiles)} UNION ALL (${more}\n))${groupBy}`;
  return resultOver(build, groups, merged, 'groups');
}

/** Keeps what `partial` gives for each group, and writes the result over it. */
async function resultOver(
  build: Build,
  { result }: Groups,
  partial: string,
  mode: 'full' | 'groups',
): Promise<Built | undefined> {
  const groupsUrl = `${build.task.prefixUrl}groups/`;
  const groupFiles = await writeFiles(build.connection, partial, groupsUrl, smallRowGroupRows);
  if (groupFiles.length === 0) return undefined;
  const kept = parquet(groupFiles.map(({ url }) => url));
  const select = await overGroups(build.parser, result, `SELECT * FROM ${kept}`);
  return { ...(await writeStored(build, select, undefined)), mode, groupFiles, shape: build.shape };
}

const parquet = (urls: readonly string[]): string =>
  `read_parquet([${urls.map((url) => literal(url)).join(', ')}])`;

/**
 * The rows that were added, if they are what the ledger says and nothing has another type since: maintenance
 * may write old rows anew, and a column may have been widened.
 */
async function addedOf({ connection, task, shape }: Build): Promise<AddedRows | undefined> {
  const { added, atVersions } = task;
  const snapshotId = added === undefined ? undefined : atVersions.get(added.tableName);
  if (added === undefined || snapshotId === undefined || added.shape !== shape) return undefined;
  const columns = await columnsAt(connection, added.tableName, snapshotId);
  // Its own column would hide the lake's.
  if (columns.some(({ name }) => name.toLowerCase() === 'snapshot_id')) return undefined;
  const counted = await connection.runAndReadAll(
    `SELECT count(*) FROM ${tableAt(added.tableName, snapshotId)} WHERE snapshot_id > ${added.after}`,
  );
  return Number(counted.getRows()[0]![0]) === added.rows ? added : undefined;
}

/** The engine must not stop after a number of rows: what is written is the whole result. */
function check({ parser, task }: Build, sql: string, added?: AddedRows) {
  const { relations, atVersions } = task;
  const addedAfter = new Map(added === undefined ? [] : [[added.tableName, added.after] as const]);
  return checkStatement(parser, { sql, relations, atVersions, addedAfter, limit: undefined });
}

async function writeStatement(build: Build, sql: string, added?: AddedRows) {
  const { sql: select, columnNames } = await check(build, sql, added);
  return writeStored(build, select, (own) => applyNames(own, columnNames));
}

async function writeStored(
  { connection, task }: Build,
  select: string,
  named: ((own: readonly string[]) => string[]) | undefined,
): Promise<Pick<Built, 'columns' | 'files' | 'rows'>> {
  const { sql, columns } = await storedAs(connection, select, named);
  refuseColumns(columns, (name) => definedColumnFault(name, true));
  const files = (await writeFiles(connection, sql, task.prefixUrl)).filter(({ rows }) => rows > 0);
  return { columns, files, rows: files.reduce((sum, { rows }) => sum + rows, 0) };
}
