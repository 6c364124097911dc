export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/**
 * Every item of a list, page by page as they are taken:
 * `items((cursor) => workspace.get('/v1/projects', { params: { query: { cursor } } }))`.
 */
export async function* items<Item>(
  page: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const { items: found, nextCursor } = await page(cursor);
    yield* found;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

const mostInPage = 200;

/** The first items of a list, at most so many, page by page. */
export async function some<Item>(
  count: number,
  page: (page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const limit = Math.min(count, mostInPage);
  const found: Item[] = [];
  for await (const item of items((cursor) => page({ limit, cursor }))) {
    found.push(item);
    if (found.length === count) break;
  }
  return found;
}
