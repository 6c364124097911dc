import { PassThrough } from 'node:stream';
import type pg from 'pg';
import { writtenAgainst } from '../../../../data/lake/ducklake/catalog.ts';
import type { CopiedPart } from '../../../../data/lake/ducklake/copied-catalog.ts';
import {
  findOtherTable,
  hasItsNumbers,
  inlinedSelect,
  type OtherTable,
  otherLakeFacts,
} from '../../../../data/lake/ducklake/other-table.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { ours } from '../../data-connections/failure.ts';
import { catalogOf } from '../../data-connections/sources/ducklake.ts';
import { withPostgres } from '../../data-connections/sources/postgres-session.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';
import { type Flow, maxRowBytes, rowTooLarge } from '../../data-connections/sources/watch.ts';
import type { CopyDeps } from './copier.ts';
import { copyOut } from './copy-out.ts';
import { copyTimeoutMs, copyTooLarge, maxObjects } from './limits.ts';

/** For hex, which has two characters per byte. */
export const maxLineBytes = maxRowBytes * 2;

export interface ReadCatalog {
  table: OtherTable;
  parts: CopiedPart[];
  /** Total size of the parts. */
  bytes: number;
}

/**
 * Reads what a lake's catalog says about a table at one moment, and uploads the rows stored in the catalog
 * itself; everything over the checked connection.
 *
 * @throws RemoteFailure if there is no such table, or the lake cannot be read
 */
export function readCatalog(
  { objects, limits, maxBytes }: CopyDeps,
  target: SourceTarget,
  { resource, sourcePrefix }: { resource: string; sourcePrefix: string },
  signal: AbortSignal,
): Promise<ReadCatalog> {
  return withPostgres(
    target,
    signal,
    async (client, { watch }) => {
      watch?.listen();
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await client.query("SET LOCAL DateStyle = 'ISO'; SET LOCAL TimeZone = 'UTC'");
      await client.query('SET LOCAL extra_float_digits = 1');
      const schema = await catalogOf(client, target);
      const { format, isEncrypted } = await otherLakeFacts(client, schema);
      if (format !== writtenAgainst.format)
        throw refused(
          `The catalog has the format ${format}. The service can only read ${writtenAgainst.format}.`,
        );
      if (isEncrypted) throw refused('The lake is encrypted. The service cannot read encrypted lakes.');
      const table = await findOtherTable(client, schema, resource, maxObjects);
      if (table === undefined) throw refused(`The lake has no table ${resource}.`);
      if (!hasItsNumbers(table))
        throw refused(
          "The lake's catalog isn't valid. It has values that aren't numbers in columns that DuckLake defines as numbers.",
        );
      checkTable(table);
      const parts: CopiedPart[] = [];
      let came = 0;
      for (const part of table.inlined) {
        const key = `${sourcePrefix}${part.name}`;
        const size = await copyPart(
          client,
          inlinedSelect(schema, part),
          (lines) => objects.upload(key, lines),
          (row) => {
            watch?.row();
            if (row.length > maxLineBytes) throw rowTooLarge();
            came += row.length;
            if (came > maxBytes) throw copyTooLarge(maxBytes);
          },
          (stream) => watch?.flow(stream) ?? stream,
        );
        // A part without rows would be an empty file.
        if (size > 0) parts.push({ ...part, url: `s3://${objects.settings.bucket}/${key}` });
      }
      watch?.rest();
      return { table, parts, bytes: came };
    },
    { statementTimeoutMs: copyTimeoutMs, limits },
  );
}

const refused = (message: string): RemoteFailure => new RemoteFailure('request', message);

function checkTable({ files, deletions, columns, mappedNames, schemaVersions }: OtherTable): void {
  const most = maxObjects.toLocaleString('en');
  if (files.length > maxObjects)
    throw refused(`The table has more than ${most} files, which is the limit. Merge its files first.`);
  if ([columns, mappedNames, schemaVersions].some((rows) => rows.length > maxObjects))
    throw refused(`The table has had more than ${most} columns or schema versions, which is the limit.`);
  for (const { path, format, encryption_key: key, file_size_bytes: size } of [...files, ...deletions]) {
    if (!(size > 0)) throw refused(`The file ${path} has no size in the lake's catalog.`);
    if (key !== null)
      throw refused(`The file ${path} is encrypted. The service cannot read encrypted files.`);
    if (format !== 'parquet' && format !== 'puffin')
      throw refused(`The file ${path} has the format ${format}, which the service cannot read.`);
  }
  if (mappedNames.some((mappedName) => mappedName.is_partition))
    throw refused(
      'The table has files that keep column values in their folder names. The service cannot read them.',
    );
}

/** Uploads the result of a SELECT, one line per row; returns its size in bytes. */
async function copyPart(
  client: pg.Client,
  select: string,
  upload: (lines: AsyncIterable<Buffer>) => Promise<number>,
  onRow: (row: Buffer) => void,
  flowOf: (stream: Flow) => Flow,
): Promise<number> {
  const { rowCount } = await client.query(`SELECT FROM (${select}) AS part LIMIT 1`);
  if (rowCount === 0) return 0;
  const lines = new PassThrough();
  const uploaded = ours(upload(lines));
  uploaded.catch(() => undefined);
  try {
    const statement = `COPY (${select}) TO STDOUT (FORMAT text, ENCODING 'UTF8')`;
    const copied = copyOut(client, statement, (row, stream) => {
      onRow(row);
      // Copied, because the row is in the driver's buffer.
      if (lines.write(Buffer.from(row))) return;
      const flow = flowOf(stream);
      flow.pause();
      lines.once('drain', () => flow.resume());
    });
    await Promise.race([copied, uploaded]);
    await copied;
    lines.end();
    return await uploaded;
  } finally {
    lines.destroy();
    await uploaded.catch(() => undefined);
  }
}
