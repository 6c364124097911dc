import { literal } from '../../../../data/lake/sql.ts';
import { asWorkbook, distinctNames } from '../../../../packages/row-formats/index.ts';
import { applyNames, checkStatement } from '../../../../packages/sql-guard/index.ts';
import { storedAs } from '../build/write-files.ts';
import type { Engine } from '../process/engine.ts';
import { type Interruption, inReadTransaction, stopIfInterrupted } from '../process/transaction.ts';
import { QueryRefusal } from '../refusal.ts';
import type { CopiedFormat, Exported, ExportTask } from './contract.ts';
import { exportType } from './export-types.ts';

// RFC 4180; empty text is quoted, as null is nothing.
const csv = "FORMAT csv, NEW_LINE '\\r\\n'";
const options: Record<CopiedFormat, string> = {
  csv,
  'csv.gz': `${csv}, COMPRESSION gzip`,
  parquet: 'FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880',
  xlsx: 'FORMAT xlsx, HEADER true',
};

/** Writes all rows of a statement, in its order, by one transaction that only reads the lake. */
export async function exportFiles(
  engine: Engine,
  task: ExportTask,
  interruption: Interruption,
): Promise<Exported> {
  const { connection, parser } = engine;
  const { sql, relations, atVersions } = task;
  const checked = await checkStatement(parser, { sql, relations, atVersions, limit: undefined });
  return inReadTransaction(engine, interruption, async () => {
    const named = (own: readonly string[]) => distinctNames(applyNames(own, checked.columnNames));
    const { sql: stored, columns } = await storedAs(connection, checked.sql, named, exportType[task.format]);
    const select = task.format === 'xlsx' ? asWorkbook(stored, columns) : stored;
    const head = task.format.startsWith('csv') ? csvHead(columns, task.byteOrderMark) : undefined;
    const written = await connection.runAndReadAll(copy(select, task, head)).catch((error: unknown) => {
      throw /Sheet row limit/.test(String(error)) ? tooLong() : error;
    });
    stopIfInterrupted(interruption);
    return { rows: Number(written.getRows()[0]?.[0] ?? 0), scannedRelationIds: checked.scannedRelationIds };
  });
}

/**
 * The engine writes a header, but no byte order mark: with one, both are what it writes before the rows. It
 * then wants something to write after them too, and leaves out the last line end.
 */
function csvHead(columns: readonly { name: string }[], hasMark: boolean): string {
  if (!hasMark) return 'HEADER';
  const names = columns.map(({ name }) => (/[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name));
  return `HEADER false, PREFIX ${literal(`\ufeff${names.join(',')}\r\n`)}, SUFFIX ${literal('\r\n')}`;
}

function copy(
  select: string,
  { prefixUrl, format, maxFileBytes }: ExportTask,
  head: string | undefined,
): string {
  const how = head === undefined ? options[format] : `${options[format]}, ${head}`;
  if (maxFileBytes === undefined)
    return `COPY (${select}\n) TO ${literal(`${prefixUrl}part_0.${format}`)} (${how})`;
  const split = `FILE_SIZE_BYTES ${maxFileBytes}, FILENAME_PATTERN 'part_{i}'`;
  // Threads would fill several files at once, so that they had rows without order. A limit, even of all rows,
  // is taken by one. The folder of the files is named without a slash.
  const inOrder = `SELECT * FROM (${select}\n) LIMIT ${allRows}`;
  return `COPY (${inOrder}) TO ${literal(prefixUrl.slice(0, -1))} (${how}, ${split})`;
}

/** The engine's largest limit. */
const allRows = 2n ** 63n - 1n;

const tooLong = () =>
  new QueryRefusal(
    'query_too_large',
    'A sheet can have up to 1,048,576 rows, including its header. Export the rows as CSV or Parquet, or select fewer.',
  );
