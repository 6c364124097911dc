import type { Connection, RowDataPacket } from 'mysql2/promise';
import { isReservedColumn } from '../../../../data/lake/ducklake/catalog.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { columnNames } from '../../../../packages/file-reader/index.ts';
import { withMysql } from '../../data-connections/sources/mysql.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';
import { declaredColumn } from '../../file-imports/staged.ts';
import type { CopyProgress } from '../snapshot-runs.ts';
import type { Copied, CopyDeps, CopyRequest, WithEngine } from './copier.ts';
import { incrementCopied } from './increment.ts';
import { copyTimeoutMs } from './limits.ts';
import { incrementOf } from './mysql-increment.ts';
import { copiedColumn, impossibleDayTerm, isDay, type MysqlColumn, quoted } from './mysql-types.ts';
import { createTextStage } from './text-stage.ts';
import { unreadableWarnings } from './unreadable.ts';

/** The callback connection inside the driver's promise wrapper: it streams rows and can be paused. */
interface RowStream {
  query(options: object): NodeJS.EventEmitter;
  pause(): void;
  resume(): void;
}

/**
 * Copies a table or view in one transaction with a consistent snapshot. Rows arrive as text over the
 * connection to a checked address; the engine converts them.
 */
export function copyMysql(
  deps: CopyDeps,
  target: SourceTarget,
  withEngine: WithEngine,
  { resource, prefixUrl, increment, unreadable = 'fail', keys = [] }: Omit<CopyRequest, 'connection'>,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<Copied> {
  return withMysql(
    target,
    signal,
    // Logs in before taking an engine, so that an unreachable source occupies none. The transaction begins
    // once there is one.
    (connection, { over, ended, watch }) =>
      withEngine(ended, async (engine) => {
        watch?.listen();
        await connection.query("SET SESSION time_zone = '+00:00'");
        await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
        await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
        const { columns: found, estimatedRows } = await relationOf(connection, resource);
        const part =
          increment === undefined
            ? undefined
            : await incrementOf(connection, quoted(resource), found, increment);
        const from = part?.from ?? quoted(resource);
        const impossible = await impossibleDays(connection, from, found);
        const columns = found.map((column) => copiedColumn(column, impossible.has(column.name)));
        const names = columnNames(
          found.map(({ name }) => name),
          isReservedColumn,
        );
        const stage = await createTextStage({
          ...deps,
          prefixUrl,
          connection: engine,
          columns: columns.map(({ dataType, value }, index) => ({ name: names[index]!, dataType, value })),
          unreadable,
          keys: found.flatMap(({ name }, index) => (keys.includes(name) ? [names[index]!] : [])),
        });
        try {
          const padding = columns.length === 1 ? ['1'] : [];
          const list = [...columns.map(({ source }) => source), ...padding].join(', ');
          const stream = (connection as unknown as { connection: RowStream }).connection;
          const flow = watch?.flow(stream) ?? stream;
          let rows = 0;
          await eachRow(stream, over, `SELECT ${list} FROM ${from}`, (row) => {
            watch?.row();
            stage.take(textLine(row), flow);
            rows += 1;
            if (rows % 1_000 !== 0) return;
            const fraction = Math.min(0.95, rows / Math.max(estimatedRows, rows + 1));
            progress({ fraction, rows, bytes: stage.bytes });
          });
          watch?.rest();
          const files = await stage.finish();
          progress({ fraction: 0.95, rows, bytes: stage.bytes });
          return {
            columns: found.map(({ nullable }, index) =>
              declaredColumn(names[index]!, columns[index]!.dataType, nullable || unreadable === 'null'),
            ),
            files,
            rows,
            bytes: stage.bytes,
            warnings: unreadableWarnings(stage.unreadable),
            ...incrementCopied(increment, part?.reached, found, names),
          };
        } finally {
          await stage.close();
        }
      }),
    { statementTimeoutMs: copyTimeoutMs, limits: deps.limits },
  );
}

function eachRow(
  flow: RowStream,
  over: Promise<never>,
  sql: string,
  take: (row: (Buffer | null)[]) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = flow.query({
      sql,
      rowsAsArray: true,
      // Raw bytes: the driver must not convert numbers or dates.
      typeCast: (field: { buffer(): Buffer | null }) => field.buffer(),
    });
    let isOver = false;
    const fail = (error: unknown) => {
      isOver = true;
      reject(error);
    };
    over.catch(fail);
    query.on('result', (row: (Buffer | null)[]) => {
      if (isOver) return;
      try {
        take(row);
      } catch (error) {
        fail(error);
      }
    });
    query.on('error', fail);
    query.on('end', () => resolve());
  });
}

const tab = Buffer.from('\t');
const newline = Buffer.from('\n');
const nothing = Buffer.from('\\N');
/** Bytes that are escaped, with their replacements. */
const escapes = new Map([
  [0x5c, Buffer.from('\\\\')],
  [0x09, Buffer.from('\\t')],
  [0x0a, Buffer.from('\\n')],
  [0x0d, Buffer.from('\\r')],
]);

/** A row in PostgreSQL's COPY text format. */
function textLine(row: readonly (Buffer | null)[]): Buffer {
  const parts = row.flatMap((value, index) => [
    ...(index === 0 ? [] : [tab]),
    value === null ? nothing : escapedBytes(value),
  ]);
  return Buffer.concat([...parts, newline]);
}

function escapedBytes(value: Buffer): Buffer {
  if (![...escapes.keys()].some((byte) => value.includes(byte))) return value;
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = 0; at < value.length; at += 1) {
    const sign = escapes.get(value[at]!);
    if (sign === undefined) continue;
    parts.push(value.subarray(from, at), sign);
    from = at + 1;
  }
  return Buffer.concat([...parts, value.subarray(from)]);
}

async function relationOf(
  connection: Connection,
  resource: string,
): Promise<{ columns: MysqlColumn[]; estimatedRows: number }> {
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT column_name AS name, lower(data_type) AS type, lower(column_type) AS columnType,
       numeric_precision AS digits, numeric_scale AS places, is_nullable AS nullable,
       (SELECT t.table_rows FROM information_schema.tables t
        WHERE t.table_schema = c.table_schema AND t.table_name = c.table_name) AS estimated
     FROM information_schema.columns c
     WHERE table_schema = DATABASE() AND CAST(table_name AS BINARY) = CAST(? AS BINARY) ORDER BY ordinal_position`,
    [resource],
  );
  if (rows.length === 0)
    throw new RemoteFailure(
      'request',
      `The source has no table or view ${resource} that the user of this connection can see.`,
    );
  const columns = rows.map(
    (row): MysqlColumn => ({
      name: String(row['name']),
      type: String(row['type']),
      columnType: String(row['columnType']),
      precision: row['digits'] === null ? null : Number(row['digits']),
      scale: row['places'] === null ? null : Number(row['places']),
      nullable: row['nullable'] === 'YES',
    }),
  );
  return { columns, estimatedRows: Number(rows[0]!['estimated'] ?? 0) };
}

/** Columns with at least one date that does not exist, found in one scan of the table. */
async function impossibleDays(
  connection: Connection,
  from: string,
  columns: readonly MysqlColumn[],
): Promise<Set<string>> {
  const days = columns.filter(isDay);
  if (days.length === 0) return new Set();
  const [rows] = await connection.query<RowDataPacket[][]>({
    sql: `SELECT ${days.map(impossibleDayTerm).join(', ')} FROM ${from}`,
    rowsAsArray: true,
  });
  const flags = rows[0] as unknown as unknown[];
  return new Set(days.filter((_, index) => Number(flags[index]) === 1).map(({ name }) => name));
}
