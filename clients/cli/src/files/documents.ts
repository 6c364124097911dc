import { readFile } from 'node:fs/promises';
import { Failure } from '../failure.ts';

/** What a file holds: the body of the route that creates it, without the project. */
export type Document = Record<string, unknown>;

export async function documentIn(file: string): Promise<Document> {
  const text = await readFile(file, 'utf8');
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document === 'object' && document !== null && !Array.isArray(document))
      return document as Document;
  } catch (error) {
    throw new Failure(`${file} isn't valid JSON: ${(error as Error).message}`);
  }
  throw new Failure(`${file} must contain a JSON object.`);
}

/** Keys in snake_case, as bodies have them, at every depth. */
export function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCase(member),
    ]),
  );
}

/** Without members that are null: a body leaves them out. */
export const withoutNulls = (value: unknown): Document =>
  Object.fromEntries(Object.entries(value as object).filter(([, member]) => member !== null));

/**
 * Whether what is stored is what a file says, whatever the order of keys. A member that the file leaves out at
 * any depth may be stored as empty: that is what the service made of its absence.
 */
export function says(file: unknown, stored: unknown): boolean {
  if (Array.isArray(file))
    return (
      Array.isArray(stored) &&
      file.length === stored.length &&
      file.every((item, index) => says(item, stored[index]))
    );
  if (!isObject(file)) return file === stored;
  if (!isObject(stored)) return false;
  return Object.keys({ ...stored, ...file }).every((key) =>
    key in file ? key in stored && says(file[key], stored[key]) : isEmpty(stored[key]),
  );
}

const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every(isEmpty);
  return value === null || value === '' || value === false;
}

/** The name of a file: letters, digits and hyphens of a title. */
export const slug = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '') || 'unnamed';
