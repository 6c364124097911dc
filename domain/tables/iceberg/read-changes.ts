import pMap from 'p-map';
import { AppError } from '../../../data/errors.ts';
import { readBytes } from '../../../data/objects/read.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import {
  type FileChange,
  IcebergFault,
  readManifest,
  readManifestList,
} from '../../../packages/iceberg/index.ts';
import type { Places } from './places.ts';

/** A snapshot that an engine commits. */
export interface EngineSnapshot {
  id: bigint;
  manifestList: string;
}

/** What one or more snapshots change altogether. */
export interface TableChanges {
  /** Data files that are new, below the table's location. */
  added: { url: string; rows: number }[];
  /** Data files that go. */
  removed: string[];
  /** Files of positions of deleted rows. */
  positions: string[];
}

const mostManifestBytes = 16_777_216;
const mostManifests = 10_000;
const mostFiles = 50_000;
const atOnce = 4;

type Objects = Pick<ObjectStore, 'head' | 'read' | 'settings'>;

/**
 * Reads what an engine's snapshots change from their manifests.
 *
 * @throws AppError invalid_request where a file isn't what it should be, unsupported_option for equality
 *   deletes
 */
export async function readChanges(
  objects: Objects,
  places: Places,
  snapshots: readonly EngineSnapshot[],
): Promise<TableChanges> {
  const ids = new Set(snapshots.map(({ id }) => id));
  const manifests = new Map<string, bigint>();
  for (const { manifestList } of snapshots) {
    const listed = await reading(manifestList, async () =>
      readManifestList(await readOwn(objects, places, manifestList)),
    );
    for (const { url, addedBy } of listed) if (ids.has(addedBy)) manifests.set(url, addedBy);
  }
  if (manifests.size > mostManifests) throw invalid(`A commit has at most ${mostManifests} manifests.`);
  const read = await pMap(
    manifests,
    ([url, addedBy]) => reading(url, async () => readManifest(await readOwn(objects, places, url), addedBy)),
    { concurrency: atOnce },
  );
  const changes = read.flat();
  if (changes.length > mostFiles) throw invalid(`A commit changes at most ${mostFiles} files.`);
  return netChanges(places, changes);
}

/** A file that one snapshot adds and a later one removes is in neither list. */
function netChanges(places: Places, changes: readonly FileChange[]): TableChanges {
  const added = new Map<string, { url: string; rows: number }>();
  const removed = new Set<string>();
  const positions = new Set<string>();
  for (const { content, status, url, format, rows } of changes) {
    if (content === 'equality')
      throw new AppError(
        'unsupported_option',
        "This catalog doesn't take equality deletes. Write position deletes (merge-on-read), or rewrite the files.",
      );
    // A deletion file that goes was merged into a new one: a row that is gone stays so.
    if (content === 'positions' && status === 'deleted') continue;
    if (status === 'deleted') {
      removed.add(url);
      continue;
    }
    if (!isOwn(places, url)) throw outside(url);
    if (format !== 'PARQUET') throw invalid(`${url} has the format ${format}. Write Parquet files.`);
    if (content === 'positions') positions.add(url);
    else added.set(url, { url, rows });
  }
  for (const url of removed) if (added.delete(url)) removed.delete(url);
  return { added: [...added.values()], removed: [...removed], positions: [...positions] };
}

async function reading<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof IcebergFault) throw invalid(`${url} can't be read. ${error.message}`);
    throw error;
  }
}

/** Reads a file that the engine wrote below the table's location. */
async function readOwn(objects: Objects, places: Places, url: string): Promise<Buffer> {
  if (!isOwn(places, url)) throw outside(url);
  const key = url.slice(`s3://${objects.settings.bucket}/`.length);
  const found = await objects.head(key);
  if (found === undefined) throw invalid(`${url} isn't there.`);
  if (found.sizeBytes > mostManifestBytes) throw invalid(`${url} is larger than 16 MiB.`);
  return readBytes(objects, key);
}

/** Whether a file lies where the table's engines write. */
export function isOwn({ location }: Places, url: string): boolean {
  if (!url.startsWith(`${location}/`)) return false;
  return url
    .slice(location.length + 1)
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..');
}

const outside = (url: string) => invalid(`${url} isn't below the location of the table.`);
const invalid = (message: string) => new AppError('invalid_request', message);
