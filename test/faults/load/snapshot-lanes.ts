import type { FaultClient } from '../client.ts';
import {
  type Copies,
  type CopyKey,
  copyKeys,
  queryOf,
  rowsOf,
  type StartedSnapshot,
  sourceOf,
} from '../copies.ts';
import type { FaultDatabase } from '../database.ts';
import { createRandom } from '../random.ts';
import { followSnapshot, lookAt, startSnapshot } from '../snapshots.ts';
import type { FaultSource } from '../sources.ts';
import type { Lane, LoadContext } from './context.ts';
import { pauseBetween } from './rows-lanes.ts';

const limits = { requests_per_second: 20, max_concurrency: 2 };
const firstRecords = 300;
/** Enough for many pages; from then on records only change. */
const maxRecords = 1_500;

const resourceOf = (path: string, more: object = {}) => ({
  request_path: path,
  pagination: {
    mode: 'next_link',
    data_pointer: '/items',
    next_pointer: '/links/next',
    page_size: 15,
    page_size_parameter: 'limit',
  },
  ...more,
});

const policy = {
  version: 1,
  limits,
  resources: [
    resourceOf('/changes', {
      query_parameters: { since: '${cursor}', after: '${tie_breaker}' },
      cursor: { field: 'at', format: 'iso8601', tie_breaker_field: 'id', tie_breaker_format: 'integer' },
    }),
    resourceOf('/whole'),
  ],
};

/** A connection to each source, and two datasets of each. */
export async function prepareCopies(
  client: FaultClient,
  source: FaultSource,
  database: FaultDatabase,
): Promise<Copies> {
  const create = async (path: string, body: unknown) => {
    const settled = await client.settle({ kind: 'dataset', method: 'POST', path, body });
    if (settled.outcome !== 'acknowledged') throw new Error(`${path}: ${JSON.stringify(settled)}`);
    return settled.answer.body.data ?? {};
  };
  const first = Array.from({ length: firstRecords }, (_, index) => index + 1);
  await Promise.all([source.change(first), database.change(first)]);
  const connections = '/v1/connections/data';
  const http = await create(connections, {
    name: 'Faults',
    type: 'http',
    config: { base_url: source.url },
    snapshot_config: { enabled: true, http_replication: policy },
  });
  const postgres = await create(connections, {
    name: 'Faults of a database',
    type: 'postgres',
    config: database.config,
    secrets: { password: database.password },
    snapshot_config: { enabled: true },
  });
  const { table: resource } = database;
  const bodies: Record<CopyKey, { of: typeof http; body: object }> = {
    changes: { of: http, body: { resource: '/changes' } },
    whole: { of: http, body: { resource: '/whole' } },
    table: { of: postgres, body: { resource } },
    growth: {
      of: postgres,
      body: { resource, mode: 'incremental', cursor: 'at', key_columns: ['id'] },
    },
  };
  const paths: Partial<Record<CopyKey, string>> = {};
  const tables: Partial<Record<CopyKey, string>> = {};
  for (const copy of copyKeys) {
    const { of, body } = bodies[copy];
    const datasets = `${connections}/${of['id']}/datasets`;
    const dataset = await create(datasets, { ...body, name: `Copy of ${copy}` });
    paths[copy] = `${datasets}/${dataset['id']}`;
    tables[copy] = String(dataset['snapshotTableName']);
  }
  return {
    source,
    database,
    limits,
    paths: paths as Copies['paths'],
    tables: tables as Copies['tables'],
    started: [],
    underWay: new Set(),
    seen: { changes: undefined, whole: undefined, table: undefined, growth: undefined },
  };
}

/** Changes a source's data: one record, or several at one instant, some of them new. */
export function sourceLane(context: LoadContext, seed: number, of: 'source' | 'database'): Lane {
  const random = createRandom(seed, `records of ${of}`);
  const source = context.copies[of];
  const { records } = source;
  return {
    name: `records of ${of}`,
    async step() {
      const known = records.stateAt(records.changes.length).size;
      const wanted = random.chance(0.4) ? random.int(2, 6) : 1;
      const isNew = known < maxRecords && random.chance(0.5);
      const ids = Array.from({ length: wanted }, (_, n) => (isNew ? known + 1 + n : random.int(1, known)));
      await source.change([...new Set(ids)]);
      await pauseBetween(context, random.int(20, 200));
    },
  };
}

/**
 * Takes snapshots of datasets in turn, sequentially; some are requested twice, with the same key or another.
 */
export function datasetLane(context: LoadContext, seed: number, copies: readonly CopyKey[]): Lane {
  const random = createRandom(seed, `dataset ${copies}`);
  const { started } = context.copies;
  let count = 0;
  const ask = async (copy: CopyKey, tag: string, times: number) => {
    const before = sourceOf(context.copies, copy).settled();
    const snapshot: StartedSnapshot = { tag, copy, before, id: undefined, isRefused: false };
    started.push(snapshot);
    for (let n = 1; n <= times && !snapshot.isRefused; n += 1) await startSnapshot(context, snapshot);
    return snapshot;
  };
  return {
    name: `datasets ${copies}`,
    async step() {
      const copy = copies[count % copies.length]!;
      count += 1;
      const tag = `${copy}-${count}`;
      const times = random.chance(0.2) ? 2 : 1;
      const hasRival = random.chance(0.2);
      const pauseMs = random.int(200, 2_500);
      const snapshots = [await ask(copy, tag, times)];
      // The rival is refused because the first is in progress, or begins if that is already over.
      if (hasRival) snapshots.push(await ask(copy, `${tag}-rival`, 1));
      for (const snapshot of snapshots)
        if (snapshot.id !== undefined) await followSnapshot(context, snapshot);
      await pauseBetween(context, pauseMs);
    },
  };
}

/** Reads one copy after the other, at any moment. */
export function copyReaderLane(context: LoadContext, seed: number, lane: number): Lane {
  const random = createRandom(seed, `copy reader ${lane}`);
  const { client, copies } = context;
  return {
    name: `copy reader ${lane}`,
    async step() {
      const copy = random.pick(copyKeys);
      const before = copies.seen[copy];
      const body = queryOf(copies.tables[copy]);
      const path = '/v1/query-executions';
      // Before the first snapshot the table does not exist.
      const answer =
        before === undefined
          ? undefined
          : await client.attempt({ kind: 'query', method: 'POST', path, body });
      if (answer?.status === 200) lookAt(context, copy, before, rowsOf(answer.body.data));
      await pauseBetween(context, random.int(200, 1_200));
    },
  };
}
