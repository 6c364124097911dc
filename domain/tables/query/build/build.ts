import { randomUUID } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier, literal } from '../../../../data/lake/sql.ts';
import { refuseColumns } from '../analysis/analyze.ts';
import { checkStatement } from '../guard/check.ts';
import { applyNames } from '../guard/column-names.ts';
import { withoutTail } from '../guard/tree.ts';
import type { Engine } from '../process/engine.ts';
import { LakeUnavailable } from '../process/failure.ts';
import { type Interruption, refuseUnread, stopIfInterrupted } from '../process/statement.ts';
import type { BuildTask, Built } from './contract.ts';
import { storedType } from './stored-type.ts';

const rowGroupRows = 122_880;
const fileSizeBytes = 256 * 1024 * 1024;

/**
 * Checks a definition and writes its rows to files that nothing refers to yet. The statement only reads the
 * lake; the folder is one of the organization's own, outside of which the engine reaches nothing.
 */
export async function buildFiles(
  engine: Engine,
  task: BuildTask,
  interruption: Interruption,
): Promise<Built> {
  const { connection } = engine;
  const statement = { sql: task.sql, relations: task.relations, atVersions: task.atVersions };
  // The engine must not stop after a number of rows: what is written is the whole result.
  const checked = await checkStatement(engine.parser, { ...statement, limit: undefined });
  await engine.ending;
  if (engine.isLost) throw new LakeUnavailable('The transaction before could not be ended.');
  stopIfInterrupted(interruption);
  await connection.run('BEGIN TRANSACTION READ ONLY');
  try {
    const prepared = await connection.prepare(checked.sql);
    const own = Array.from({ length: prepared.columnCount }, (_, index) => prepared.columnName(index));
    const types = own.map((_, index) => storedType(prepared.columnType(index)));
    prepared.destroySync();
    const names = applyNames(own, checked.columnNames);
    refuseColumns(names.map((name) => ({ name })));
    const places = names.map((_, index) => `c${index}`);
    const casts = names.map((name, index) => {
      const { cast } = types[index]!;
      return `${cast === undefined ? places[index]! : `CAST(${places[index]!} AS ${cast})`} AS ${identifier(name)}`;
    });
    // Named by position, because the engine renames columns of a subquery that have the same name.
    const select = `SELECT ${casts.join(', ')} FROM (${withoutTail(checked.sql)}\n) AS result(${places.join(', ')})`;
    const files = await write(connection, select, task.prefixUrl);
    stopIfInterrupted(interruption);
    await refuseUnread(engine);
    return {
      columns: names.map((name, index) => ({ name, dataType: types[index]!.dataType })),
      files,
      rows: files.reduce((sum, { rows }) => sum + rows, 0),
    };
  } finally {
    engine.ending = connection.run('ROLLBACK').then(
      () => undefined,
      () => {
        engine.isLost = true;
      },
    );
  }
}

async function write(connection: DuckDBConnection, select: string, prefixUrl: string) {
  const url = `${prefixUrl}${randomUUID()}`;
  const settings = [
    'FORMAT parquet',
    'COMPRESSION zstd',
    `ROW_GROUP_SIZE ${rowGroupRows}`,
    `FILE_SIZE_BYTES ${fileSizeBytes}`,
    "FILENAME_PATTERN 'part_{i}'",
    'RETURN_STATS',
  ];
  const written = await connection.runAndReadAll(
    `COPY (${select}) TO ${literal(url)} (${settings.join(', ')})`,
  );
  return written
    .getRows()
    .map(([file, rows, size]) => ({ url: String(file), rows: Number(rows), sizeBytes: Number(size) }))
    .filter(({ rows }) => rows > 0);
}
