import type { LakeEngine } from '../../../../data/lake/engine/contract.ts';
import { identifier, literal } from '../../../../data/lake/sql.ts';
import type { ObjectStore } from '../../../../data/objects/store.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { BadFileError, writeParquet } from '../../../../packages/file-reader/index.ts';
import { placeColumn } from '../../data-connections/replication-policy.ts';
import type { FileReader } from '../../file-imports/reader.ts';
import type { StagedTable } from '../../file-imports/staged.ts';
import type { CopyProgress } from '../snapshot-runs.ts';
import type { Reading, ReadPart } from './reading.ts';

export interface StagePagesDeps {
  objects: ObjectStore;
  /** Engine processes for long work that holds no lock on a table. */
  staging: LakeEngine;
  files: FileReader;
}

export interface PagesToStage {
  organizationId: string;
  resource: string;
  reading: Reading;
  keys: readonly string[];
  /** Ends with a slash. Everything below it belongs to this attempt. */
  prefixUrl: string;
}

/** Converts the records to Parquet like a file import; for each key only the record that was read last. */
export async function stagePages(
  deps: StagePagesDeps,
  { organizationId, resource, reading, keys, prefixUrl }: PagesToStage,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<StagedTable> {
  if (reading.records === 0) return { columns: [], files: [], rows: 0 };
  const { objects, files } = deps;
  const keyOf = (url: string): string => url.slice(`s3://${objects.settings.bucket}/`.length);
  const key = `${keyOf(prefixUrl)}records.ndjson`;
  const sizeBytes = await objects.upload(key, joined(objects, reading.parts, signal));
  try {
    const readUrl = `${prefixUrl}read/`;
    const { table } = await files.stage(
      organizationId,
      {
        source: { key, sizeBytes, format: 'ndjson' },
        options: { includeLoadDate: false },
        target: { prefixUrl: readUrl, quarantine: false },
      },
      ({ fraction, rows }) => progress({ fraction: 0.5 + fraction * 0.4, rows, bytes: reading.bytes }),
      signal,
    );
    if (keys.length === 0) return table;
    const kept = await keepLast(
      deps,
      { organizationId, table, keys, prefixUrl: `${prefixUrl}kept/`, sizeBytes },
      signal,
    );
    await objects.removeAll(keyOf(readUrl));
    return kept;
  } catch (error) {
    if (!(error instanceof BadFileError)) throw error;
    const { line, column, reason, message } = error.failure;
    const place = line === null ? '' : `record ${line}${column === null ? '' : `, column "${column}"`}: `;
    throw new RemoteFailure(
      'request',
      `The answer of ${resource} cannot become a table: ${place}${reason ?? message}`,
    );
  } finally {
    await objects.remove(key).catch(() => undefined);
  }
}

async function* joined(
  objects: ObjectStore,
  parts: readonly ReadPart[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const { key } of parts) {
    signal.throwIfAborted();
    for await (const chunk of await objects.read(key)) yield chunk as Uint8Array;
  }
}

interface KeyedTable {
  organizationId: string;
  table: StagedTable;
  keys: readonly string[];
  prefixUrl: string;
  sizeBytes: number;
}

/** @throws RemoteFailure if a record has no key */
async function keepLast(
  { objects, staging }: StagePagesDeps,
  { organizationId, table, keys, prefixUrl, sizeBytes }: KeyedTable,
  signal: AbortSignal,
): Promise<StagedTable> {
  const columns = table.columns.filter(({ name }) => name !== placeColumn);
  const names = keys.map((key) => {
    const found = columns.find(({ name }) => name.toLowerCase() === key.toLowerCase());
    if (found === undefined) throw noKey(key);
    return identifier(found.name);
  });
  const source = `read_parquet([${table.files.map(({ url }) => literal(url)).join(', ')}])`;
  const sorted = `SELECT ${columns.map(({ name }) => identifier(name)).join(', ')} FROM ${source}
    QUALIFY row_number() OVER (PARTITION BY ${names.join(', ')} ORDER BY ${identifier(placeColumn)} DESC) = 1`;
  return staging.scratch(
    organizationId,
    async (connection) => {
      for (const [index, name] of names.entries()) {
        const { rows } = await connection.read(`SELECT 1 FROM ${source} WHERE ${name} IS NULL LIMIT 1`);
        if (rows.length > 0) throw noKey(keys[index]!);
      }
      const run = async (sql: string) => (await connection.read(sql)).rows;
      const options = { store: objects, prefixUrl, columns: columns.length, sourceBytes: sizeBytes };
      const files = await writeParquet(run, sorted, options);
      return { columns, files, rows: files.reduce((sum, file) => sum + file.rows, 0) };
    },
    { signal },
  );
}

function noKey(key: string): RemoteFailure {
  return new RemoteFailure(
    'request',
    `A record has no value in the key column ${JSON.stringify(key)}. Set key_columns of the dataset, or map the field to this column.`,
  );
}
