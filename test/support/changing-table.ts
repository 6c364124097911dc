import { expect } from 'vitest';
import { mergeTable, rewriteTable } from '../../domain/tables/lake-maintenance/compact.ts';
import { flushTable } from '../../domain/tables/lake-maintenance/flush.ts';
import { shaping } from './calculated.ts';
import type { TestClient, Workspace } from './workspace.ts';

/** A seeded generator of numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const values: Record<string, readonly unknown[]> = {
  STRING: ['', 'a', 'it\'s "quoted"', 'ünïcödé 🎉', 'NULL', '\\x41', 'line\nbreak', null],
  INTEGER: [0, 1, -1, 9_007_199_254_740_991, -2_147_483_649, null],
  DOUBLE: [0.1, -0, 1e300, 5e-324, 123_456.789, null],
  'DECIMAL(20,4)': ['0.0001', '-1234567890123456.7891', '7', null],
  BOOLEAN: [true, false, null],
  DATE: ['2026-02-28', '0001-01-01', '1969-12-31', null],
  TIME: ['00:00:00', '23:59:59.999999', null],
  TIMESTAMP: ['2026-11-29T17:30:00.123456', '1969-12-31T23:59:59.999999', null],
  TIMESTAMPTZ: ['2026-11-29T17:30:00.123456Z', '1900-01-01T00:00:00+05:30', null],
  JSON: [{ a: [1, 'x', null] }, [], 'text', 7, null],
};

/** A table with columns of all types, to which random things are done: the same for the same seed. */
export async function changingTable(
  workspace: Workspace,
  client: TestClient,
  { seed, name }: { seed: number; name: string },
) {
  const on = shaping(client);
  const random = generator(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const types = new Map(Object.keys(values).map((type, index) => [`c${index}`, type]));
  const id = await on.data(name, Object.fromEntries(types));
  const { lake: deps } = workspace.deps;
  const lake = await deps.catalog.get(client.organizationId);
  const maintained = { id, name, organizationId: client.organizationId };
  let nextId = 1;
  let nextColumn = types.size;

  const row = (rowId: number) => ({
    s_id: rowId,
    ...Object.fromEntries([...types].map(([column, type]) => [column, pick(values[type]!)])),
  });
  const rows = (most: number) => Array.from({ length: 1 + Math.floor(random() * most) }, () => row(nextId++));
  const existing = () => 1 + Math.floor(random() * nextId);
  const columns = `/v1/grid/tables/${id}/columns`;
  const may = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const answer = await client.call(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBeLessThan(500);
    return answer.status < 300;
  };

  const actions: Record<string, () => Promise<unknown>> = {
    append: () => on.append(id, rows(5)),
    appendAgain: () => on.append(id, rows(3)),
    appendMany: () => on.append(id, rows(1_200)),
    upsert: async () => {
      const ids = [...new Set(Array.from({ length: 4 }, existing))];
      await on.must('PUT', `/v1/tables/${id}/rows`, 200, { rows: ids.map(row) });
      nextId = Math.max(nextId, ...ids.map((each) => each + 1));
    },
    delete: () =>
      on.must('DELETE', `/v1/tables/${id}/rows`, 200, {
        s_ids: [...new Set([existing(), existing(), existing()])],
      }),
    batch: async () => {
      const batch = await on.must('POST', `/v1/tables/${id}/ingestion-batches`, 201, { mode: 'upsert' });
      const records = [row(existing()), ...rows(40)].filter(
        ({ s_id: s }, index, all) => all.findIndex((each) => each.s_id === s) === index,
      );
      await on.must('PUT', `/v1/tables/${id}/ingestion-batches/${batch.id}/pages/1`, 200, { records });
      await on.must('POST', `/v1/tables/${id}/ingestion-batches/${batch.id}/complete`, 202, {
        page_count: 1,
      });
      for (;;) {
        const { status } = await on.must('GET', `/v1/tables/${id}/ingestion-batches/${batch.id}`, 200);
        if (status === 'applied') break;
        expect(['completing', 'applying']).toContain(status);
      }
    },
    add: async () => {
      const column = `c${nextColumn++}`;
      const type = pick(Object.keys(values));
      if (types.size < 14 && (await may('POST', columns, { name: column, data_type: type })))
        types.set(column, type);
    },
    drop: async () => {
      const column = pick([...types.keys()]);
      if (types.size > 4 && (await may('DELETE', `${columns}/${column}?confirm=true`))) types.delete(column);
    },
    rename: async () => {
      const column = pick([...types.keys()]);
      const to = `c${nextColumn++}`;
      if (!(await may('PATCH', `${columns}/${column}`, { name: to }))) return;
      types.set(to, types.get(column)!);
      types.delete(column);
    },
    // Larger integers would not be exact.
    retype: async () => {
      const [column] = [...types].find(([, type]) => type === 'TIME') ?? [];
      if (column !== undefined && (await may('PATCH', `${columns}/${column}`, { data_type: 'STRING' })))
        types.set(column, 'STRING');
    },
    flush: () => flushTable(deps, lake, maintained),
    flushAgain: () => flushTable(deps, lake, maintained),
    merge: () => mergeTable(deps, lake, maintained),
    rewrite: () => rewriteTable(deps, lake, maintained),
  };

  return {
    id,
    pick,
    /** Does one of them; its name. */
    async change(): Promise<string> {
      const action = pick(Object.keys(actions));
      await actions[action]!();
      return action;
    },
  };
}
