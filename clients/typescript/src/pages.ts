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
