import type { LoadContext } from './load/context.ts';
import type { Data } from './talks.ts';

/** All pages of a list. */
export async function listAll({ client }: Pick<LoadContext, 'client'>, path: string): Promise<Data[]> {
  const rows: Data[] = [];
  let cursor: string | null | undefined;
  do {
    // Reports are listed without pages.
    const query = path.endsWith('/reports') ? '' : '?limit=200';
    const after = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const settled = await client.settle({ kind: 'lists', method: 'GET', path: `${path}${query}${after}` });
    if (settled.outcome !== 'acknowledged')
      throw new Error(`${path} cannot be read: ${JSON.stringify(settled)}`);
    rows.push(...((settled.answer.body.items ?? []) as Data[]));
    cursor = settled.answer.body.nextCursor;
  } while (cursor);
  return rows;
}
