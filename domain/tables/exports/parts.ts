import { createHash } from 'node:crypto';
import { AppError } from '../../../data/errors.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { limits } from '../../workspace/limits/limits.ts';
import type { Export, ExportFile } from './exports.ts';

/** A file in the folder of an attempt. */
export type WrittenPart = Omit<ExportFile, 'name'>;

/** Their addresses are made at each look. */
export const mostFiles = limits.exports.files.most;

/** What the engine wrote to a folder, in order, with hashes. */
export async function partsIn(objects: ObjectStore, folder: string): Promise<WrittenPart[]> {
  const listed = await objects.list(folder, mostFiles + 1);
  if (listed.length > mostFiles) throw tooManyFiles();
  const parts: WrittenPart[] = [];
  for (const { key, sizeBytes } of listed) {
    const hash = createHash('sha256');
    for await (const bytes of await objects.read(key)) hash.update(bytes as Buffer);
    parts.push({ key: key.slice(folder.length), sizeBytes, sha256: hash.digest('hex') });
  }
  return parts.sort((a, b) => numberOf(a) - numberOf(b));
}

const numberOf = ({ key }: WrittenPart): number => Number(/\d+/.exec(key)?.[0] ?? 0);

/** The parts under the names that they are downloaded as. */
export function named(
  { name, format, max_file_bytes: maxFileBytes }: Export,
  parts: readonly WrittenPart[],
): ExportFile[] {
  return parts.map((part, at) => {
    const numbered = maxFileBytes === null ? name : `${name}_${at + 1}`;
    return { ...part, name: `${numbered}.${format}` };
  });
}

export const tooManyFiles = () =>
  new AppError(
    'query_too_large',
    `The export would have more than ${mostFiles.toLocaleString('en-US')} files, which is the limit. Raise max_file_bytes.`,
  );
