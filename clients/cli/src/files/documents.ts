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
    throw new Failure(`${file} is not JSON: ${(error as Error).message}`);
  }
  throw new Failure(`${file} is not an object.`);
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

/** Equal as JSON, whatever the order of keys. */
export const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

/** The name of a file: letters, digits and hyphens of a title. */
export const slug = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '') || 'unnamed';
