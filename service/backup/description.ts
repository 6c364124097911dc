import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** `backup.json`, which is written last: a folder without it is not a whole backup. */
const description = z.object({
  format: z.literal(1),
  release: z.string(),
  madeAt: z.iso.datetime(),
  bucket: z.string(),
  /** Version of the PostgreSQL server. */
  postgres: z.string(),
  /** The migrations that the database had. */
  migrations: z.array(z.object({ name: z.string(), sha256: digest })),
  /** Ids of the encryption keys that its secrets are sealed under; the keys themselves are not in it. */
  keyIds: z.array(z.string()),
  /** One file for each schema, below `database/`. */
  schemas: z.array(z.object({ name: z.string(), sha256: digest, sizeBytes: z.number() })),
  /** What `objects.jsonl.gz` lists. */
  objects: z.object({ count: z.number(), sizeBytes: z.number(), vanished: z.number() }),
});

export type Backup = z.infer<typeof description>;

const fileName = 'backup.json';

/** @throws Error if the folder has no whole backup, or one of another format */
export async function readDescription(folder: string): Promise<Backup> {
  const text = await readFile(join(folder, fileName), 'utf8').catch((cause: unknown) => {
    throw new Error(`${folder} has no ${fileName}, so it isn't a complete backup.`, { cause });
  });
  const read = description.safeParse(JSON.parse(text));
  if (!read.success)
    throw new Error(`${join(folder, fileName)} can't be read: ${z.prettifyError(read.error)}`);
  return read.data;
}

export async function writeDescription(folder: string, backup: Backup): Promise<void> {
  await writeFile(join(folder, fileName), `${JSON.stringify(backup, null, 2)}\n`);
}

/** The file with the rows of a schema. */
export const schemaFile = (folder: string, schema: string): string =>
  join(folder, 'database', `${schema}.sql.gz`);

/** The list of the bucket's objects, one JSON object a line. */
export const objectsFile = (folder: string): string => join(folder, 'objects.jsonl.gz');

/** Where the backups of one destination keep objects, each only once. */
export const objectsFolder = (destination: string): string => join(destination, 'objects');
