import { setTimeout } from 'node:timers/promises';
import type { openApi } from './workspace.ts';

export interface IngestedBatch {
  id: string;
  rowsInserted: number;
  rowsUpdated: number;
  /** From opening the batch until its pages were staged, and until it was applied. */
  stagedMs: number;
  totalMs: number;
}

/** Page bodies, joined from the records as they are in the file, as a client that has NDJSON would do. */
export function pagesOf(lines: readonly string[], recordsPerPage: number): Buffer[] {
  return Array.from({ length: Math.ceil(lines.length / recordsPerPage) }, (_, page) =>
    Buffer.from(`{"records":[${lines.slice(page * recordsPerPage, (page + 1) * recordsPerPage).join(',')}]}`),
  );
}

/** One batch from opening to applied; its pages are sent by several clients concurrently. */
export async function ingest(
  api: Awaited<ReturnType<typeof openApi>>,
  tableId: string,
  options: object,
  pages: readonly Buffer[],
  clients: number,
  contentType?: string,
): Promise<IngestedBatch> {
  const batches = `/v1/tables/${tableId}/ingestion-batches`;
  const startedMs = performance.now();
  const { data } = await api.json<{ data: { id: string } }>('POST', batches, options);
  const batch = `${batches}/${data.id}`;
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < pages.length) {
        const page = next;
        next += 1;
        await api.call('PUT', `${batch}/pages/${page + 1}`, pages[page]!, contentType);
      }
    }),
  );
  const stagedMs = performance.now() - startedMs;
  await api.json('POST', `${batch}/complete`, { page_count: pages.length });
  for (;;) {
    const { data: now } = await api.json<{
      data: { status: string; error: unknown; rowsInserted: number; rowsUpdated: number };
    }>('GET', batch);
    if (now.status === 'failed') throw new Error(JSON.stringify(now.error));
    const { rowsInserted, rowsUpdated } = now;
    if (now.status === 'applied')
      return { id: data.id, rowsInserted, rowsUpdated, stagedMs, totalMs: performance.now() - startedMs };
    await setTimeout(25);
  }
}
