import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { BadFileError } from './bad-file.ts';
import type { ReaderDeps, ReadOptions, SourceFile, StagedColumn, StagedFile } from './contract.ts';
import type { StageJob } from './job.ts';
import { atOnce } from './out/at-once.ts';
import { findBadRecords, goodRecords } from './out/faults.ts';
import { run, runRows } from './out/run.ts';
import { createTracker } from './out/tracker.ts';
import { writeParquet } from './out/write.ts';
import { openParquet } from './parquet/file.ts';
import { parquetTexts } from './parquet/source.ts';
import { identifier, literal } from './sql.ts';
import { withJob } from './stage.ts';
import { planOf } from './stage-text.ts';
import { openText } from './text/open.ts';
import type { Numbering, TextTable } from './text/table.ts';
import { withUnpacked } from './unpack.ts';
import type { PlannedColumn } from './values/plan.ts';
import { selectList } from './values/select.ts';
import { parseDataType } from './values/types.ts';

const recordsAtOnce = 50_000;

export interface Again {
  /** The table's current columns. */
  columns: readonly StagedColumn[];
  /** A Parquet file with the quarantined records: `line` and `raw`. */
  quarantineUrl: string;
  /** Ends with a slash; used by this job only. */
  prefixUrl: string;
  /** Names of the columns that a record has in addition, with its location in the file and its text. */
  lineColumn: string;
  rawColumn: string;
}

/** `Reader.restage`. */
export function restage(
  deps: ReaderDeps,
  source: SourceFile,
  options: ReadOptions,
  again: Again,
  signal: AbortSignal,
): Promise<StagedFile | undefined> {
  const target = { prefixUrl: again.prefixUrl, quarantine: true };
  const tracker = createTracker(source.sizeBytes, () => undefined);
  return withJob({ deps, source, options, target, tracker, signal }, (job, connection) =>
    restageText(job, connection, again),
  );
}

async function restageText(
  given: StageJob,
  connection: DuckDBConnection,
  again: Again,
): Promise<StagedFile | undefined> {
  const job = await withUnpacked(given);
  const { deps, source: file, options, signal, tracker } = job;
  const source =
    file.format === 'parquet'
      ? parquetTexts(connection, await openParquet(deps, connection, file), options)
      : await openText(deps, file, options);
  const onRead = (bytes: number): void => tracker.at(bytes / file.sizeBytes);
  const numbered = await source.number({ path: join(job.folder, 'records'), signal, onRead });
  try {
    const { table } = numbered;
    const plan = planOfToday(await planOf(job, connection, table, table.from('skip')), again.columns);
    await findBadRecords(connection, table, source.separator, plan, signal);
    await findRestored(connection, table, table.numbering!, again.quarantineUrl, signal);
    const list = selectList(table, plan, { loadDateMicros: job.loadDateMicros, onUnfit: 'null' });
    const [written] = await writeParquet(
      (sql) => runRows(connection, sql, signal),
      `SELECT ${list}, restored.line AS ${identifier(again.lineColumn)}, restored.raw AS ${identifier(again.rawColumn)}
       FROM ${goodRecords(table.from('skip'))} JOIN restored ON good._at = restored.place ORDER BY good._at`,
      {
        store: deps.store,
        prefixUrl: again.prefixUrl,
        columns: plan.length + 2,
        // Always one file, whatever the size of the source.
        sourceBytes: 0,
      },
    );
    return written;
  } finally {
    await numbered.close();
  }
}

/** The plan with the table's current types. */
function planOfToday(plan: readonly PlannedColumn[], columns: readonly StagedColumn[]): PlannedColumn[] {
  return plan.map((planned) => {
    const column = columns.find(({ name }) => name === planned.name);
    const type = column === undefined ? undefined : parseDataType(column.dataType);
    if (column === undefined || type === undefined || 'fault' in type) {
      throw new BadFileError(
        'missing_column',
        `The table no longer has a column ${JSON.stringify(planned.name)} that can be filled from text`,
        { column: planned.name },
      );
    }
    return { ...planned, type, nullable: column.nullable };
  });
}

/**
 * Fills the temporary table `restored` (`place`, `line`, `raw`) with the good records that are in quarantine.
 */
async function findRestored(
  connection: DuckDBConnection,
  table: TextTable,
  numbering: Numbering,
  quarantineUrl: string,
  signal: AbortSignal,
): Promise<void> {
  await run(
    connection,
    `CREATE TEMP TABLE quarantined AS SELECT DISTINCT line, raw FROM read_parquet(${literal(quarantineUrl)});
     CREATE TEMP TABLE restored (place BIGINT, line BIGINT, raw VARCHAR);
     CREATE TEMP TABLE candidates AS SELECT _line, _at, _bytes FROM ${goodRecords(table.from('skip'))}
       WHERE _line IN (SELECT line FROM quarantined)`,
    signal,
  );
  for (let after = -1; ; ) {
    const found = await runRows(
      connection,
      `SELECT _line, _at, _bytes FROM candidates WHERE _at > ${after} ORDER BY _at LIMIT ${recordsAtOnce}`,
      signal,
    );
    if (found.length === 0) break;
    const places = atOnce(
      found.map(([line, at, bytes]) => ({ line: Number(line), at: Number(at), bytes: Number(bytes) })),
    );
    const raws = await numbering.readRaws(places);
    const appender = await connection.createAppender('restored', 'main', 'temp');
    for (const [index, { line, at }] of places.entries()) {
      appender.appendBigInt(BigInt(at));
      appender.appendBigInt(BigInt(line));
      appender.appendVarchar(raws[index]!);
      appender.endRow();
    }
    appender.closeSync();
    after = places.at(-1)!.at;
  }
  await run(
    connection,
    `DELETE FROM restored AS r WHERE NOT EXISTS (SELECT 1 FROM quarantined q WHERE q.line = r.line AND q.raw = r.raw)`,
    signal,
  );
}
