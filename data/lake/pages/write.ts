import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { batchPrefix } from '../../objects/keys.ts';
import type { ObjectStore } from '../../objects/store.ts';
import type { LakeEngine } from '../engine.ts';
import { transportOf } from '../rows/encode.ts';
import { transported } from '../rows/rows-source.ts';
import { identifier, literal } from '../sql.ts';
import type { PageContent } from './page.ts';

/** Whose page it is, and where bad records are told to come from. */
export interface PagePlace {
  organizationId: string;
  batchId: string;
  pageNumber: number;
}

/** Where a bad record was first sent. A record staged again keeps its first origin. */
export interface RecordOrigin {
  batchId: string;
  pageNumber: number;
  index: number;
}

export interface WrittenPage {
  /** Null where the page has no such records. */
  objectKey: string | null;
  quarantineKey: string | null;
}

export interface PageWriter {
  /** Makes Parquet objects of a page's good and bad records, under names nobody had before. */
  write(
    place: PagePlace,
    content: PageContent,
    originOf?: (index: number) => RecordOrigin,
  ): Promise<WrittenPage>;
}

export interface PageWriterDeps {
  engine: LakeEngine;
  objects: ObjectStore;
  workDir: string;
}

/** Pages encoded at once; further ones wait, so that a burst costs memory only for the bodies it sent. */
const maxEncoding = 4;
/** Files of a process that was killed are removed once they are older than any page takes. */
const staleAfterMs = 3_600_000;

interface Feed {
  /** Newline-delimited JSON objects, `{"c0": …}`. */
  text: Uint8Array;
  columns: readonly { name: string; dataType: string; position: number }[];
}

export async function createPageWriter(deps: PageWriterDeps): Promise<PageWriter> {
  const folder = join(deps.workDir, 'pages');
  await mkdir(folder, { recursive: true });
  await removeStale(folder);
  const slots = createSlots(maxEncoding);

  async function put(key: string, feed: Feed): Promise<void> {
    const path = join(folder, randomUUID());
    try {
      await slots.use(async () => {
        await writeFile(`${path}.ndjson`, feed.text);
        await deps.engine.scratch((connection) => connection.run(copyStatement(path, feed)));
      });
      await deps.objects.put(key, await readFile(`${path}.parquet`), 'application/vnd.apache.parquet');
    } finally {
      await Promise.all(['ndjson', 'parquet'].map((ending) => rm(`${path}.${ending}`, { force: true })));
    }
  }

  return {
    async write(place, content, originOf) {
      const { organizationId, batchId, pageNumber } = place;
      const key = `${batchPrefix(organizationId, batchId)}${pageNumber}-${randomUUID()}`;
      const objectKey = content.records === 0 ? null : `${key}.parquet`;
      const quarantineKey = content.bad.length === 0 ? null : `${key}.quarantine.parquet`;
      if (objectKey !== null) await put(objectKey, { text: content.feed, columns: content.columns });
      if (quarantineKey !== null) await put(quarantineKey, quarantineFeed(place, content, originOf));
      return { objectKey, quarantineKey };
    },
  };
}

/** The columns of quarantined records, in Parquet as in their table. */
export const quarantineColumns = [
  { name: 'batch_id', dataType: 'STRING' },
  { name: 'page_number', dataType: 'INTEGER' },
  { name: 'record_index', dataType: 'INTEGER' },
  { name: 'reason', dataType: 'STRING' },
  { name: 'record', dataType: 'JSON' },
] as const;

function quarantineFeed(
  place: PagePlace,
  content: PageContent,
  originOf: (index: number) => RecordOrigin = (index) => ({ ...place, index }),
): Feed {
  const lines = content.bad.map(({ index, reason, record }) => {
    const { batchId: c0, pageNumber: c1, index: c2 } = originOf(index);
    return `${JSON.stringify({ c0, c1, c2, c3: reason.toWellFormed(), c4: record.toWellFormed() })}\n`;
  });
  return {
    text: Buffer.from(lines.join('')),
    columns: quarantineColumns.map((column, position) => ({ ...column, position })),
  };
}

function copyStatement(path: string, { text, columns }: Feed): string {
  const types = columns.map(
    ({ dataType, position }) => `c${position}: ${literal(transportOf(dataType).jsonType)}`,
  );
  const values = columns.map(
    ({ name, dataType, position }) => `${transported(dataType, position)} AS ${identifier(name)}`,
  );
  return `COPY (
    SELECT ${values.join(', ')}
    FROM read_json(${literal(`${path}.ndjson`)}, format = 'newline_delimited', columns = {${types.join(', ')}},
                   maximum_object_size = ${text.length + 1_048_576}) AS r
  ) TO ${literal(`${path}.parquet`)} (FORMAT parquet, COMPRESSION zstd)`;
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleAfterMs) await rm(path, { force: true });
  }
}

function createSlots(count: number): { use<T>(work: () => Promise<T>): Promise<T> } {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async use(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
