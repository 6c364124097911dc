import type { DuckDBConnection } from '@duckdb/node-api';
import type { PlainColumn, PlainFiles, PlainTable } from '../../../../data/lake/ducklake/table-layout.ts';
import { identifier, literal } from '../../../../data/lake/sql.ts';
import type { Engine } from './engine.ts';
import { alikeFiles, type FileShapes, learnShapes } from './file-shapes.ts';
import type { PlainTableNews } from './messages.ts';

/** What this process knows of plain tables, by key, and of their files. */
export interface PlainTables {
  tables: Map<string, PlainTable>;
  shapes: FileShapes;
}

/** Each group of files that are alike is a scan of its own. */
const mostScans = 24;

/** Takes over what the parent says of plain tables, and drops those that no statement will name any more. */
export async function learnPlain(
  known: PlainTables,
  { tables, forgotten }: PlainTableNews,
  engine: Engine,
): Promise<void> {
  for (const table of tables) known.tables.set(table.key, table);
  for (const key of forgotten) known.tables.delete(key);
  const made = forgotten.filter((key) => engine.plain.delete(key));
  if (made.length === 0) return;
  await engine.ending;
  // What cannot be dropped takes memory until the engine is replaced, and does no harm.
  await dropAll(engine.connection, made).catch(() => undefined);
}

async function dropAll(connection: DuckDBConnection, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await connection.run(`DROP VIEW IF EXISTS temp.main.${identifier(key)}`);
    for (const { table_name: name } of await partsOf(connection, key))
      await connection.run(`DROP TABLE IF EXISTS temp.main.${identifier(name)}`);
  }
}

async function partsOf(connection: DuckDBConnection, key: string): Promise<{ table_name: string }[]> {
  const reader = await connection.runAndReadAll(
    `SELECT table_name FROM duckdb_tables() WHERE temporary AND starts_with(table_name, $1)`,
    [`${key}_`],
  );
  return reader.getRowObjects() as { table_name: string }[];
}

/** Makes views of these plain tables, where the engine has none yet. */
export async function makePlain(
  engine: Pick<Engine, 'connection' | 'plain' | 'ending'>,
  known: PlainTables,
  keys: readonly string[],
): Promise<void> {
  await engine.ending;
  for (const key of keys) {
    const table = known.tables.get(key);
    if (engine.plain.has(key) || table === undefined) continue;
    await makeView(engine.connection, table, known.shapes);
    engine.plain.add(key);
  }
}

async function makeView(connection: DuckDBConnection, table: PlainTable, shapes: FileShapes): Promise<void> {
  const parts: string[] = [];
  await learnShapes(
    connection,
    shapes,
    table.files.flatMap(({ urls }) => urls),
  );
  for (const [index, files] of table.files.entries()) {
    const deleted = files.deletions === undefined ? undefined : `${table.key}_deleted_${index}`;
    if (deleted !== undefined) await makeDeletions(connection, deleted, files);
    const alike = alikeFiles(shapes, files, table.columns);
    if (alike.length + parts.length > mostScans) parts.push(selectMapped(files, table.columns, deleted));
    else
      for (const { urls, selected } of alike)
        parts.push(
          selected === undefined
            ? selectMapped({ ...files, urls }, table.columns, deleted)
            : `SELECT ${selected.join(', ')} FROM ${filesOf(urls)}${notIn(deleted)}`,
        );
  }
  if (table.rows.length > 0) {
    await makeRows(connection, table);
    parts.push(`SELECT * FROM temp.main.${identifier(`${table.key}_rows`)}`);
  }
  const nothing = `SELECT ${table.columns.map(nullOf).join(', ')} WHERE false`;
  const body = parts.length === 0 ? nothing : parts.join('\nUNION ALL\n');
  await connection.run(`CREATE OR REPLACE TEMP VIEW ${identifier(table.key)} AS ${body}`);
}

const nullOf = ({ name, type }: PlainColumn): string => `CAST(NULL AS ${type}) AS ${identifier(name)}`;

/** The engine maps columns to their names and types in each file. */
function selectMapped(
  { urls, rowCount, sources }: PlainFiles,
  columns: readonly PlainColumn[],
  deleted: string | undefined,
): string {
  const found = columns.flatMap(({ name, type }, index) => {
    const source = sources[index] ?? null;
    if (source === null) return [];
    const key = typeof source === 'number' ? String(source) : literal(source);
    return [`${key}: {name: ${literal(name)}, type: ${literal(type)}, default_value: NULL}`];
  });
  const selected = columns.map((column, index) =>
    (sources[index] ?? null) === null ? nullOf(column) : identifier(column.name),
  );
  const schema = `schema = MAP {${found.join(', ')}}, explicit_cardinality = ${rowCount}`;
  return `SELECT ${selected.join(', ')} FROM ${filesOf(urls, schema)}${notIn(deleted)}`;
}

const filesOf = (urls: readonly string[], ...more: string[]): string =>
  `read_parquet(${[`[${urls.map(literal).join(', ')}]`, 'hive_partitioning = false', ...more].join(', ')})`;

const notIn = (deleted: string | undefined): string =>
  deleted === undefined
    ? ''
    : ` WHERE NOT EXISTS (
        SELECT 1 FROM temp.main.${identifier(deleted)} AS deleted_rows WHERE deleted_rows.pos = file_row_number)`;

async function makeDeletions(
  connection: DuckDBConnection,
  name: string,
  { deletions }: PlainFiles,
): Promise<void> {
  const { url, positions = [] } = deletions ?? {};
  const sources = [
    ...(url === undefined ? [] : [`SELECT pos FROM read_parquet(${literal(url)})`]),
    `SELECT unnest([${positions.join(', ')}]::BIGINT[])`,
  ];
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${identifier(name)} AS
     SELECT DISTINCT pos::BIGINT AS pos FROM (${sources.join(' UNION ALL ')}) AS d(pos)`,
  );
}

/** Texts become values as the engine itself reads them. */
async function makeRows(connection: DuckDBConnection, { key, columns, rows }: PlainTable): Promise<void> {
  const texts = `${key}_texts`;
  const list = columns.map((_, index) => `c${index} VARCHAR`).join(', ');
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${identifier(texts)} (${list})`);
  const appender = await connection.createAppender(texts, 'main', 'temp');
  for (const row of rows) {
    for (const value of row) {
      if (value === null) appender.appendNull();
      else appender.appendVarchar(value);
    }
    appender.endRow();
  }
  appender.closeSync();
  const values = columns
    .map(({ name, type }, index) => `CAST(c${index} AS ${type}) AS ${identifier(name)}`)
    .join(', ');
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${identifier(`${key}_rows`)} AS SELECT ${values} FROM temp.main.${identifier(texts)}`,
  );
  await connection.run(`DROP TABLE temp.main.${identifier(texts)}`);
}
