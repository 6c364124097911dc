import { createHash } from 'node:crypto';
import { pMapIterable } from 'p-map';
import type pg from 'pg';
import { createCipher } from '../../data/encryption.ts';
import { AppError } from '../../data/errors.ts';
import { cataloguedFiles, countedTables } from '../../data/lake/ducklake/catalogued-files.ts';
import { identifier } from '../../data/lake/sql.ts';
import { createObjectStore, type ObjectStore } from '../../data/objects/store.ts';
import type { storesConfig } from '../../data/stores-config.ts';
import { sealedColumns } from '../../domain/workspace/keys/sealed-columns.ts';
import { listedObjects } from './copy-objects.ts';
import { readDescription } from './description.ts';
import { withOwner } from './owner.ts';

/** What was looked at, and what is wrong. */
export interface Verified {
  lakes: number;
  lakeFiles: number;
  tables: number;
  files: number;
  secrets: number;
  /** Objects of the backup; 0 without one. */
  objects: number;
  /** Objects whose content was compared. */
  hashed: number;
  /** Sentences, at most `mostFaults`. */
  faults: string[];
  faultCount: number;
}

const mostFaults = 100;
const rowsAtOnce = 1_000;
const concurrency = 8;

/**
 * Compares database and bucket: every file that a catalog names is there with its size, every table has the
 * rows that its ledger counts, every file of a project is there, every secret opens. With a backup, also
 * every object that it lists.
 *
 * @param hashes what share of the backup's objects is read and compared by SHA-256, from 0 to 1
 */
export async function verify(
  config: Pick<ReturnType<typeof storesConfig>, 'databaseUrl' | 'objectStore' | 'encryptionKeys'>,
  { folder, hashes }: { folder?: string | undefined; hashes: number },
): Promise<Verified> {
  const found: Verified = {
    lakes: 0,
    lakeFiles: 0,
    tables: 0,
    files: 0,
    secrets: 0,
    objects: 0,
    hashed: 0,
    faults: [],
    faultCount: 0,
  };
  const fault = (text: string) => {
    found.faultCount += 1;
    if (found.faults.length < mostFaults) found.faults.push(text);
  };
  const objects = createObjectStore(config.objectStore);
  try {
    await withOwner(config.databaseUrl, async (client) => {
      await verifyLakes(client, objects, found, fault);
      await verifyFiles(client, objects, found, fault);
      await verifySecrets(client, config.encryptionKeys, found, fault);
    });
    if (folder !== undefined) await verifyObjects(objects, { folder, hashes }, found, fault);
  } finally {
    objects.close();
  }
  return found;
}

type Fault = (text: string) => void;

async function sizesBelow(objects: ObjectStore, prefix: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { key, sizeBytes } of objects.each(prefix)) sizes.set(key, sizeBytes);
  return sizes;
}

async function verifyLakes(
  client: pg.Client,
  objects: ObjectStore,
  found: Verified,
  fault: Fault,
): Promise<void> {
  const { rows: lakes } = await client.query<{ organization: string; schema: string; path: string }>(
    `SELECT organization_id AS organization, schema_name AS schema, data_path AS path FROM lakes
     WHERE ready_at IS NOT NULL ORDER BY organization_id`,
  );
  const bucket = `s3://${objects.settings.bucket}/`;
  for (const { organization, schema, path } of lakes) {
    found.lakes += 1;
    if (!path.startsWith(bucket)) {
      fault(`The lake of ${organization} has its files at ${path}, outside ${bucket}.`);
      continue;
    }
    // Listed after the catalog was read: a file that was committed meanwhile is no fault.
    const pages = [];
    for await (const page of cataloguedFiles(client, schema)) pages.push(page);
    const sizes = await sizesBelow(objects, path.slice(bucket.length));
    for (const { url, sizeBytes } of pages.flat()) {
      found.lakeFiles += 1;
      if (!url.startsWith(path)) fault(`The lake of ${organization} names ${url}, outside ${path}.`);
      else compare(sizes.get(url.slice(bucket.length)), sizeBytes, url, fault);
    }
    await verifyCounts(client, organization, schema, found, fault);
  }
}

function compare(actual: number | undefined, expected: number, what: string, fault: Fault): void {
  if (actual === undefined) fault(`${what} is missing.`);
  else if (actual !== expected) fault(`${what} has ${actual} bytes instead of ${expected}.`);
}

async function verifyCounts(
  client: pg.Client,
  organization: string,
  schema: string,
  found: Verified,
  fault: Fault,
): Promise<void> {
  // Of one snapshot, so that a commit in between is no fault.
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const counted = new Map(
      (await countedTables(client, schema)).map(({ name, rows }) => [name.toLowerCase(), rows]),
    );
    const { rows: known } = await client.query<{ id: string; name: string; rows: number }>(
      `SELECT t.id, t.name, w.row_count AS rows FROM ${identifier(schema)}.workspace_table w
       JOIN tables t ON t.organization_id = $1 AND t.id = w.table_id`,
      [organization],
    );
    for (const { id, name, rows } of known) {
      const actual = counted.get(name.toLowerCase());
      if (actual === undefined) continue;
      found.tables += 1;
      if (actual !== rows)
        fault(`The table ${id} of ${organization} has ${actual} rows, but its ledger counts ${rows}.`);
    }
  } finally {
    await client.query('ROLLBACK');
  }
}

async function verifyFiles(
  client: pg.Client,
  objects: ObjectStore,
  found: Verified,
  fault: Fault,
): Promise<void> {
  for (let last = ''; ; ) {
    const { rows: organizations } = await client.query<{ id: string }>(
      'SELECT id FROM organizations WHERE id > $1 ORDER BY id LIMIT 1',
      [last],
    );
    const id = organizations[0]?.id;
    if (id === undefined) return;
    last = id;
    const { rows } = await client.query<{ key: string; size: number }>(
      'SELECT object_key AS key, size_bytes AS size FROM files WHERE organization_id = $1',
      [id],
    );
    const sizes = await sizesBelow(objects, `files/${id}/`);
    for (const { key, size } of rows) {
      found.files += 1;
      // A file may be the object of another feature, which has its own folder.
      const actual = sizes.get(key) ?? (await objects.head(key))?.sizeBytes;
      compare(actual, size, key, fault);
    }
  }
}

async function verifySecrets(
  client: pg.Client,
  encryptionKeys: string,
  found: Verified,
  fault: Fault,
): Promise<void> {
  const cipher = createCipher(encryptionKeys);
  for (const { table, key, column } of sealedColumns) {
    const keys = ['organization_id', ...key].map(identifier).join(', ');
    await client.query('BEGIN READ ONLY');
    await client.query(
      `DECLARE sealed NO SCROLL CURSOR FOR SELECT concat_ws(' ', ${keys}) AS id, ${identifier(column)} AS value
       FROM ${identifier(table)} WHERE ${identifier(column)} IS NOT NULL`,
    );
    for (;;) {
      const { rows } = await client.query<{ id: string; value: Buffer }>(`FETCH ${rowsAtOnce} FROM sealed`);
      for (const { id, value } of rows) {
        found.secrets += 1;
        try {
          cipher.open(value);
        } catch (error) {
          fault(`${table}.${column} of ${id} can't be decrypted: ${(error as Error).message}`);
        }
      }
      if (rows.length < rowsAtOnce) break;
    }
    await client.query('COMMIT');
  }
}

async function verifyObjects(
  objects: ObjectStore,
  { folder, hashes }: { folder: string; hashes: number },
  found: Verified,
  fault: Fault,
): Promise<void> {
  await readDescription(folder);
  const sizes = await sizesBelow(objects, '');
  const compared = pMapIterable(
    listedObjects(folder),
    async ({ key, sizeBytes, sha256 }) => {
      found.objects += 1;
      const actual = sizes.get(key);
      compare(actual, sizeBytes, key, fault);
      if (actual !== sizeBytes || !isSampled(sha256, hashes)) return;
      found.hashed += 1;
      const hash = await hashOf(objects, key);
      if (hash !== undefined && hash !== sha256) fault(`${key} has different content than in the backup.`);
    },
    { concurrency, backpressure: concurrency * 4 },
  );
  for await (const _ of compared);
}

/** The same objects each time, spread evenly. */
const isSampled = (sha256: string, share: number): boolean =>
  Number.parseInt(sha256.slice(0, 8), 16) < share * 0x1_0000_0000;

async function hashOf(objects: ObjectStore, key: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of await objects.read(key)) hash.update(chunk as Buffer);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
  return hash.digest('hex');
}
