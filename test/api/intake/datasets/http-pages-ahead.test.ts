import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { attach, rowsOf, snapshotOf } from '../../../support/snapshots.ts';
import { connect, httpServer } from '../../../support/sources.ts';
import { useWorker } from '../../../support/worker.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

/**
 * Two records per page, answered with a delay in which a busy machine asks for others; some requests, by number,
 * are answered with a failure.
 */
async function slowSource(records: number, misdeeds: Record<number, number> = {}) {
  let open = 0;
  const seen = { requests: 0, mostOpen: 0 };
  const { base } = await httpServer(async (request, response) => {
    seen.requests += 1;
    const status = misdeeds[seen.requests];
    open += 1;
    seen.mostOpen = Math.max(seen.mostOpen, open);
    await wait(250 + 15 * (seen.requests % 3));
    open -= 1;
    if (status !== undefined) return void response.writeHead(status, { 'retry-after': '1' }).end();
    const { searchParams } = new URL(request.url!, 'http://x');
    const page = searchParams.get('page');
    const skip = page === null ? Number(searchParams.get('offset')) : (Number(page) - 1) * 2;
    const items = Array.from({ length: Math.min(2, Math.max(0, records - skip)) }, (_, n) => skip + n + 1);
    response.end(JSON.stringify({ items: items.map((id) => ({ id })) }));
  });
  return { base, seen };
}

async function copied(base: string, mode: string, limits: object, more: object = {}) {
  const client = await workspace.organization();
  const pagination = { mode, data_pointer: '/items', page_size: 2, page_size_parameter: 'limit', ...more };
  const policy = { limits, resources: [{ request_path: '/records', pagination }] };
  const at = await connect(
    client,
    'http',
    { base_url: base },
    { snapshot_config: { enabled: true, http_replication: policy } },
  );
  const made = await attach(client, at, '/records', { name: 'Records' });
  const run = await snapshotOf(client, made.at);
  expect(run.error).toBeNull();
  const rows: { id: number }[] = await rowsOf(
    client,
    `SELECT id FROM ${made.dataset.snapshotTableName} ORDER BY id`,
  );
  return { run, ids: rows.map(({ id }) => id) };
}

const oneTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test.each(['page', 'offset'])(
  'pages by %s are asked for several at once, and read in order',
  async (mode) => {
    // Of the requests sent ahead, one is refused and two fail.
    const { base, seen } = await slowSource(81, { 14: 500, 20: 429, 27: 500 });
    const { run, ids } = await copied(base, mode, { max_concurrency: 4 });
    expect(ids).toEqual(oneTo(81));
    expect(seen.mostOpen).toBe(4);
    // 41 pages and the empty one, three failures, and the requests in flight when the last page was read.
    expect(seen.requests).toBeGreaterThanOrEqual(45);
    expect(seen.requests).toBeLessThanOrEqual(45 + 3);
    // One that was asked for ahead may be given up before it arrives.
    expect(run.requestsMade).toBeGreaterThanOrEqual(seen.requests);
    expect(run.requestsMade).toBeLessThanOrEqual(45 + 3);
  },
);

test('no page is asked for early beyond the bound of a run, or where the policy lets out one at a time', async () => {
  const bounded = await slowSource(81);
  const { ids } = await copied(bounded.base, 'page', { max_concurrency: 4 }, { max_pages_per_run: 20 });
  expect(ids).toEqual(oneTo(40));
  expect(bounded.seen.requests).toBe(20);
  const single = await slowSource(31);
  expect((await copied(single.base, 'page', { max_concurrency: 1 })).ids).toHaveLength(31);
  expect(single.seen).toEqual({ requests: 17, mostOpen: 1 });
});
