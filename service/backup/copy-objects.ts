import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { pMapIterable } from 'p-map';
import { AppError } from '../../data/errors.ts';
import type { ObjectStore, StoredObject } from '../../data/objects/store.ts';
import { objectsFile, objectsFolder } from './description.ts';
import { writeFile } from './write-file.ts';

/** A line of the list of objects. */
export interface CopiedObject {
  key: string;
  sizeBytes: number;
  sha256: string;
  /** Below the folder of objects: the same content under the same key is kept once for all backups. */
  file: string;
}

const concurrency = 8;
/** Of checks of the service itself. */
const leftOut = 'doctor/';

/**
 * Copies every object of the bucket that the destination does not have yet, and lists all of them.
 *
 * @returns how many there are, their bytes, and how many vanished between being listed and read: what is
 * removed meanwhile is nothing that the database names
 */
export async function copyObjects(
  objects: ObjectStore,
  { destination, folder }: { destination: string; folder: string },
  onProgress: (count: number, sizeBytes: number) => void,
): Promise<{ count: number; sizeBytes: number; vanished: number }> {
  const total = { count: 0, sizeBytes: 0, vanished: 0 };
  const copied = pMapIterable(objects.each(''), (object) => copyOnce(objects, object, destination), {
    concurrency,
    backpressure: concurrency * 4,
  });
  async function* lines() {
    for await (const object of copied) {
      if (object === 'left out') continue;
      if (object === 'vanished') {
        total.vanished += 1;
        continue;
      }
      total.count += 1;
      total.sizeBytes += object.sizeBytes;
      onProgress(total.count, total.sizeBytes);
      yield `${JSON.stringify(object)}\n`;
    }
  }
  await pipeline(lines, createGzip(), createWriteStream(objectsFile(folder), { flags: 'wx', mode: 0o600 }));
  return total;
}

async function copyOnce(
  objects: ObjectStore,
  object: StoredObject,
  destination: string,
): Promise<CopiedObject | 'vanished' | 'left out'> {
  const { key, etag } = object;
  if (key.startsWith(leftOut)) return 'left out';
  const name = createHash('sha256').update(`${key}\0${etag}`).digest('hex');
  const below = join(name.slice(0, 2), name.slice(2, 4));
  const place = join(objectsFolder(destination), below);
  const found = (await readdir(place).catch(() => [] as string[])).find((file) =>
    file.startsWith(`${name}.`),
  );
  if (found !== undefined && !found.endsWith('.part'))
    return {
      key,
      sizeBytes: object.sizeBytes,
      sha256: found.slice(name.length + 1),
      file: join(below, found),
    };
  await mkdir(place, { recursive: true, mode: 0o700 });
  const part = join(place, `${randomUUID()}.part`);
  try {
    const { sizeBytes, sha256 } = await writeFile(await objects.read(key), part);
    const file = join(below, `${name}.${sha256}`);
    await rename(part, join(objectsFolder(destination), file));
    return { key, sizeBytes, sha256, file };
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof AppError && error.code === 'not_found') return 'vanished';
    throw error;
  }
}

/** The objects of a backup. */
export async function* listedObjects(folder: string): AsyncGenerator<CopiedObject> {
  const file = createReadStream(objectsFile(folder));
  const text = createGunzip();
  file.on('error', (error) => text.destroy(error));
  const lines = createInterface({ input: file.pipe(text), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) yield JSON.parse(line) as CopiedObject;
}

/** @throws Error if a file of the backup is missing or has changed */
export async function uploadObjects(objects: ObjectStore, folder: string): Promise<number> {
  let count = 0;
  const destination = dirname(folder);
  const uploads = pMapIterable(
    listedObjects(folder),
    async ({ key, sha256, file }) => {
      const path = join(objectsFolder(destination), file);
      const hash = createHash('sha256');
      async function* hashed() {
        for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) {
          hash.update(chunk as Buffer);
          yield chunk as Buffer;
        }
        // Before the upload is completed: an object with other content is never there.
        if (hash.digest('hex') !== sha256)
          throw new Error(`${path} has changed since the backup. Its SHA-256 differs.`);
      }
      await objects.upload(key, hashed());
    },
    { concurrency, backpressure: concurrency * 4 },
  );
  for await (const _ of uploads) count += 1;
  return count;
}
