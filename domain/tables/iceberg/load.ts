import { LRUCache } from 'lru-cache';
import { AppError, notFound } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import {
  newestSnapshot,
  newestSnapshotShowing,
  unchangedUntil,
} from '../../../data/lake/ducklake/snapshots.ts';
import {
  readTableContent,
  type TableContent,
  UnreadableContent,
  type WantedContent,
} from '../../../data/lake/ducklake/table-content.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { listVersions, type TableVersion } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { tableMetadata } from '../../../packages/iceberg/index.ts';
import { placesOf, tableUuid } from './places.ts';
import { TooMuchToRewrite, type WrittenVersion, writeVersion } from './write-version.ts';

export interface IcebergDeps {
  lake: LakeDeps;
  objects: ObjectStore;
}

/** A table as engines get it. */
export interface LoadedTable {
  /** Changes with the table. */
  etag: string;
  metadataLocation: string;
  /** The table's metadata by Iceberg's specification. */
  metadata: object;
  /** Folders of the bucket with all that it refers to. */
  folders: string[];
}

export interface TableToLoad {
  organizationId: string;
  tableId: string;
  name: string;
  description: string;
  /** What engines note of it. */
  properties: Readonly<Record<string, string>>;
}

export interface IcebergTables {
  /**
   * The table's metadata for its version now, and for the newest of its earlier ones that are kept. A row
   * that was acknowledged before is in it.
   *
   * @throws AppError conflict for a table that can't be described; storage_unavailable
   */
  load(table: TableToLoad): Promise<LoadedTable>;
}

/** Earlier versions that are listed. */
const earlierVersions = 25;
/** A table with more files lists only its current version. */
const mostFilesForHistory = 1_000;
const mostFiles = 100_000;
/** Metadata that is asked for after this long is looked at again: it may have to be written anew. */
const keptMs = 43_200_000;
/** Bytes of metadata that a process remembers. */
const mostBytes = 67_108_864;

interface Known {
  snapshotId: number;
  lakeTableId: number;
  /** What the registry said of the table. */
  described: string;
  loaded: LoadedTable;
}

/** Describes tables of lakes as Iceberg tables, and remembers their metadata until they change. */
export function createIcebergTables(deps: IcebergDeps): IcebergTables {
  const known = new LRUCache<string, Known>({
    maxSize: mostBytes,
    ttl: keptMs,
    sizeCalculation: ({ loaded }) => JSON.stringify(loaded.metadata).length + 1_000,
  });
  const loading = new Map<string, Promise<LoadedTable>>();

  async function load(table: TableToLoad): Promise<LoadedTable> {
    const lake = await deps.lake.catalog.get(table.organizationId);
    const kept = known.get(table.tableId);
    if (kept?.described === JSON.stringify(table)) {
      const { catalogPool } = deps.lake;
      const until = await unchangedUntil(catalogPool, lake.schema, kept.lakeTableId, kept.snapshotId);
      if (until !== undefined) {
        kept.snapshotId = until;
        return kept.loaded;
      }
    }
    const found = await describe(deps, lake, table);
    known.set(table.tableId, { ...found, described: JSON.stringify(table) });
    return found.loaded;
  }

  return {
    load: (table) => {
      // Those who ask meanwhile may not know of rows that the answer lacks: each asks after it once more.
      const before = loading.get(table.tableId);
      const own = (before ?? Promise.resolve()).then(
        () => load(table),
        () => load(table),
      );
      loading.set(table.tableId, own);
      const forget = () => {
        if (loading.get(table.tableId) === own) loading.delete(table.tableId);
      };
      own.then(forget, forget);
      return own;
    },
  };
}

type Described = Pick<Known, 'snapshotId' | 'lakeTableId' | 'loaded'>;

async function describe(deps: IcebergDeps, lake: Lake, table: TableToLoad): Promise<Described> {
  const { dataPath } = lake.writer;
  const places = placesOf(table, { dataPath, bucket: deps.objects.settings.bucket });
  return withEngine(deps, lake, async (engine) => {
    const current = await readCurrent(deps, lake, table);
    const write = (version: TableVersion, content: TableContent) =>
      writeVersion(
        { objects: deps.objects, places, lake: lake.schema, engine },
        {
          ...{ version: version.version, committedAt: version.committedAt },
          ...{ operation: version.operation, content },
        },
      );
    const newest = await write(current.version, current.content).catch((error: unknown) => {
      throw error instanceof TooMuchToRewrite
        ? refused('its files name columns in contradicting ways; the next maintenance merges them')
        : error;
    });
    const earlier =
      current.content.files.length > mostFilesForHistory
        ? []
        : await writeEarlier(
            deps,
            lake,
            { ...table, lakeTableId: current.content.tableId },
            current.earlier,
            write,
          );
    const versions = [newest, ...earlier];
    const snapshots = versions.map(({ snapshot }) => snapshot).reverse();
    const schemas = [...new Map(versions.map(({ schema }) => [schema['schema-id'], schema])).values()];
    const metadata = tableMetadata({
      ...{ uuid: tableUuid(table.tableId), location: places.location, schemas, snapshots },
      lastColumnId: Math.max(...versions.map(({ lastColumnId }) => lastColumnId)),
      properties: {
        ...table.properties,
        ...(newest.nameMapping === undefined ? {} : { 'schema.name-mapping.default': newest.nameMapping }),
        ...(newest.leftOut.length === 0 ? {} : { 'workspace.left-out-columns': newest.leftOut.join(', ') }),
        ...(table.description === '' ? {} : { comment: table.description }),
        ...{ 'write.format.default': 'parquet', 'write.delete.mode': 'merge-on-read' },
        ...{ 'write.update.mode': 'merge-on-read', 'write.merge.mode': 'merge-on-read' },
      },
    });
    const text = JSON.stringify(metadata);
    const list = newest.snapshot['manifest-list'];
    const folder = list.slice(0, list.lastIndexOf('/') + 1);
    const root = `s3://${deps.objects.settings.bucket}/`;
    const metadataLocation = `${folder}metadata.json`;
    await deps.objects.put(metadataLocation.slice(root.length), Buffer.from(text), 'application/json');
    return {
      snapshotId: current.content.snapshotId,
      lakeTableId: current.content.tableId,
      loaded: {
        etag: `"${current.version.version}-${current.content.snapshotId}"`,
        ...{ metadataLocation, metadata },
        folders: [...new Set([places.metadataKey, ...versions.flatMap(({ folders }) => folders)])],
      },
    };
  });
}

/** The table at the newest snapshot and its newest versions, all read at one moment. */
async function readCurrent(deps: IcebergDeps, lake: Lake, table: TableToLoad) {
  const client = await deps.lake.catalogPool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const snapshotId = await newestSnapshot(client, lake.schema);
    const [version, ...earlier] = await listVersions(
      client,
      lake.schema,
      table.tableId,
      undefined,
      earlierVersions + 1,
    );
    const content = await readTableContent(
      client,
      lake.schema,
      { table: { name: table.name }, snapshotId, dataPath: lake.writer.dataPath },
      mostFiles,
    );
    if (version === undefined || content === undefined) throw notFound('The table');
    return { version, earlier, content };
  } catch (error) {
    throw error instanceof UnreadableContent ? refused(error.message) : error;
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
    client.release();
  }
}

/** Earlier versions, newest first: those that a kept snapshot shows, and that files can describe. */
async function writeEarlier(
  deps: IcebergDeps,
  lake: Lake,
  { tableId, name, lakeTableId }: TableToLoad & { lakeTableId: number },
  versions: readonly TableVersion[],
  write: (version: TableVersion, content: TableContent) => Promise<WrittenVersion>,
): Promise<WrittenVersion[]> {
  const pool = deps.lake.catalogPool;
  const written: WrittenVersion[] = [];
  for (const version of versions) {
    const snapshotId = await newestSnapshotShowing(pool, lake.schema, tableId, version.version);
    if (snapshotId === undefined) continue;
    const at = { snapshotId, dataPath: lake.writer.dataPath };
    const read = (table: WantedContent['table']) =>
      readTableContent(pool, lake.schema, { table, ...at }, mostFilesForHistory);
    try {
      // It may have had another name then; or be one that replaced the table of that time.
      const content = (await read({ id: lakeTableId })) ?? (await read({ name }));
      if (content !== undefined) written.push(await write(version, content));
    } catch (error) {
      if (!(error instanceof UnreadableContent || error instanceof TooMuchToRewrite)) throw error;
    }
  }
  return written;
}

/** Runs `work` with a connection of the engine that is opened when it is first needed. */
async function withEngine<T>(
  deps: IcebergDeps,
  lake: Lake,
  work: (engine: () => Promise<EngineConnection>) => Promise<T>,
): Promise<T> {
  const opened = Promise.withResolvers<EngineConnection>();
  const done = Promise.withResolvers<void>();
  let session: Promise<void> | undefined;
  const engine = () => {
    session ??= deps.lake.engine
      .use(lake.writer, (connection) => {
        opened.resolve(connection);
        return done.promise;
      })
      .catch((error: unknown) => opened.reject(error));
    return opened.promise;
  };
  try {
    return await work(engine);
  } finally {
    done.resolve();
    await session;
  }
}

const refused = (why: string) =>
  new AppError(
    'conflict',
    `The table can't be read as an Iceberg table: ${why.replace(/^It/, 'it').replace(/\.$/, '')}.`,
  );
