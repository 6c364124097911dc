import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceLoneSurrogates } from '../../../data/canonical-json.ts';
import type { LakeEngine } from '../../../data/lake/engine/contract.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import { batchPrefix } from '../../../data/objects/keys.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { createFairSlots } from '../../../data/process-pool/fair-slots.ts';
import { transportOf } from '../../tables/row-input/encode.ts';
import type { PageRules } from '../../tables/row-input/page/page.ts';
import type { BodyReader } from '../../tables/row-input/reading/reader.ts';
import { transported } from '../../tables/row-input/rows-source.ts';
import type { LakeColumn } from '../../tables/tables/columns.ts';
import { hashOfColumns, type PageSummary, readColumnPage, sentFile } from './column-pages/read.ts';
import { isColumns, type PageBody } from './column-pages/sent.ts';

/** The page's location, also recorded as the origin of its bad records. */
export interface PagePlace {
  organizationId: string;
  batchId: string;
  pageNumber: number;
}

/** A page as sent, and what it must conform to. */
export interface PageSource {
  body: PageBody;
  columns: readonly LakeColumn[];
  rules: PageRules;
}

/** Where a bad record was first sent. A replayed record keeps its first origin. */
export interface RecordOrigin {
  batchId: string;
  pageNumber: number;
  index: number;
}

export interface WrittenPage {
  content: PageSummary;
  /** Null if the page has no such records. */
  objectKey: string | null;
  quarantineKey: string | null;
}

export interface PageWriter {
  /** Reads a page and writes Parquet objects with its good and its bad records, under unique names. */
  write(
    place: PagePlace,
    source: PageSource,
    originOf?: (index: number) => RecordOrigin,
  ): Promise<WrittenPage>;
  /** The hash of a page's canonical records, or of its bytes if they are columns. */
  hash(organizationId: string, body: PageBody): Promise<string>;
}

export interface PageWriterDeps {
  engine: LakeEngine;
  reader: BodyReader;
  objects: ObjectStore;
  workDir: string;
}

/**
 * Maximum number of pages that are read and encoded concurrently; others wait, so that a burst needs little
 * more memory than its bodies.
 */
const maxEncoding = 4;
/** Leftover files of a killed process are removed after this time, which is longer than any page takes. */
const staleAfterMs = 3_600_000;

/** Newline-delimited JSON objects, `{"c0": …}`, in a file. */
interface Feed {
  bytes: number;
  columns: readonly { name: string; dataType: string; position: number }[];
}

export async function createPageWriter(deps: PageWriterDeps): Promise<PageWriter> {
  const folder = join(deps.workDir, 'pages');
  await mkdir(folder, { recursive: true });
  await removeStale(folder);
  const inSlot = createFairSlots(maxEncoding);

  /** Encodes a feed as a Parquet file beside it. */
  async function encode(organizationId: string, path: string, feed: Feed): Promise<void> {
    await deps.engine.scratch(organizationId, (connection) => connection.run(copyStatement(path, feed)));
  }

  /** Writes the records that fit as a Parquet file beside `path`. */
  async function read(
    organizationId: string,
    path: string,
    { body, columns, rules }: PageSource,
  ): Promise<PageSummary> {
    if (isColumns(body)) return readColumnPage(deps, organizationId, { body, columns, rules, path });
    const page = await deps.reader.read(organizationId, 'page', {
      ...{ body, columns, rules },
      path: `${path}.ndjson`,
    });
    if (page.records > 0)
      await encode(organizationId, path, { bytes: page.feedBytes, columns: page.columns });
    return page;
  }

  async function put(key: string, file: string): Promise<void> {
    await deps.objects.put(key, await readFile(file), 'application/vnd.apache.parquet');
  }

  return {
    async write(place, source, originOf) {
      const { organizationId, batchId, pageNumber } = place;
      const id = randomUUID();
      const path = join(folder, id);
      const badPath = `${path}.quarantine`;
      const written = [path];
      try {
        const content = await inSlot(organizationId, async () => {
          const page = await read(organizationId, path, source);
          if (page.bad.length > 0) {
            written.push(badPath);
            const feed = quarantineFeed(place, page, originOf);
            await writeFile(`${badPath}.ndjson`, feed);
            await encode(organizationId, badPath, { bytes: feed.length, columns: quarantineFeedColumns });
          }
          return page;
        });
        const key = `${batchPrefix(organizationId, batchId)}${pageNumber}-${id}`;
        const objectKey = content.records === 0 ? null : `${key}.parquet`;
        const quarantineKey = content.bad.length === 0 ? null : `${key}.quarantine.parquet`;
        if (objectKey !== null) await put(objectKey, content.file ?? `${path}.parquet`);
        if (quarantineKey !== null) await put(quarantineKey, `${badPath}.parquet`);
        return { content, objectKey, quarantineKey };
      } finally {
        const files = written.flatMap((name) => [`${name}.ndjson`, `${name}.parquet`, sentFile(name)]);
        // Removes those that exist; any that remain are removed at a later start.
        await Promise.all(files.map((name) => unlink(name).catch(() => undefined)));
      }
    },
    hash: async (organizationId, body) =>
      isColumns(body) ? hashOfColumns(body) : deps.reader.read(organizationId, 'hash', { body }),
  };
}

/** The columns of quarantined records, both in Parquet and in their table. */
export const quarantineColumns = [
  { name: 'batch_id', dataType: 'STRING' },
  { name: 'page_number', dataType: 'INTEGER' },
  { name: 'record_index', dataType: 'INTEGER' },
  { name: 'reason', dataType: 'STRING' },
  { name: 'record', dataType: 'JSON' },
] as const;

const quarantineFeedColumns = quarantineColumns.map((column, position) => ({ ...column, position }));

function quarantineFeed(
  place: PagePlace,
  content: Pick<PageSummary, 'bad'>,
  originOf: (index: number) => RecordOrigin = (index) => ({ ...place, index }),
): Buffer {
  const lines = content.bad.map(({ index, reason, record }) => {
    const { batchId: c0, pageNumber: c1, index: c2 } = originOf(index);
    return `${JSON.stringify({ c0, c1, c2, c3: reason.toWellFormed(), c4: replaceLoneSurrogates(record) })}\n`;
  });
  return Buffer.from(lines.join(''));
}

function copyStatement(path: string, { bytes, columns }: Feed): string {
  const types = columns.map(
    ({ dataType, position }) => `c${position}: ${literal(transportOf(dataType).jsonType)}`,
  );
  const values = columns.map(
    ({ name, dataType, position }) => `${transported(dataType, position)} AS ${identifier(name)}`,
  );
  return `COPY (
    SELECT ${values.join(', ')}
    FROM read_json(${literal(`${path}.ndjson`)}, format = 'newline_delimited', columns = {${types.join(', ')}},
                   maximum_object_size = ${bytes + 1_048_576}) AS r
  ) TO ${literal(`${path}.parquet`)} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION snappy)`;
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleAfterMs) await rm(path, { force: true });
  }
}
