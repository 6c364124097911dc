import { items, type Page } from '../../../clients/typescript/src/index.ts';

const pageSize = 100;

/** The first items of a list, over its pages. */
export async function some<Item>(
  most: number,
  fetchPage: (page: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const found: Item[] = [];
  const pages = (cursor: string | undefined) =>
    fetchPage({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
  for await (const item of items(pages)) {
    found.push(item);
    if (found.length >= most) break;
  }
  return found;
}
