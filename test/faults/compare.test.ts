import { expect, test } from 'vitest';
import type { FaultClient, StatementOutcome } from './client.ts';
import { compareTables } from './compare.ts';
import { createJournal, invariants } from './journal.ts';
import { createModel } from './model.ts';
import { createMoments } from './moments.ts';
import { type Operation, type Row, rowsOf } from './rows.ts';

const append = (no: number, rows = 3): Operation => ({ no, table: 'appends', lane: 1, rows });

/** Compares tables of which only `appends` has rows: these. */
async function breachesOf(
  found: readonly Row[],
  acknowledged: readonly Operation[],
  open: readonly Operation[] = [],
) {
  const journal = createJournal(() => {});
  const model = createModel();
  for (const operation of [...acknowledged, ...open]) model.begin(operation);
  for (const operation of acknowledged) model.acknowledge(operation, 1);
  const settle = async ({
    kind,
    path,
    body,
  }: Parameters<FaultClient['settle']>[0]): Promise<StatementOutcome> => {
    const isOurs = path.includes('/appends/') || JSON.stringify(body ?? '').includes('FROM appends');
    const rows = isOurs ? found : [];
    const ids = new Set(rows.map((row) => row.s_id)).size;
    const data = kind === 'query' ? { rows: [{ rows: rows.length, ids }] } : { checkpoint: null };
    return {
      outcome: 'acknowledged',
      answer: { status: 200, body: { data, items: rows as unknown as Record<string, unknown>[] } },
    };
  };
  await compareTables({
    client: { settle, attempt: async () => undefined, open: async () => undefined, close: () => {} },
    journal,
    model,
    tables: { appends: 'appends', items: 'items', whole: 'whole', snapshot: 'snapshot' },
    sync: { id: 'sync', generation: 'generation' },
    batches: new Map(),
    projectId: 'project',
    playbookPath: 'playbook',
    runs: [],
    schedules: { projectId: 'project', playbookId: 'playbook', known: [], triggers: [], outages: [] },
    talks: { open: () => expect.fail(), leave: () => {}, finish: async () => {} },
    flows: { projectId: 'flows', path: 'flow', started: [], receiver: undefined as never },
    copies: undefined as never,
    keyed: undefined as never,
    slots: undefined as never,
    gated: undefined as never,
    filed: undefined as never,
    shaped: undefined as never,
    moments: createMoments(),
    restSinceMs: undefined,
    signal: new AbortController().signal,
  });
  const names = Object.keys(invariants) as (keyof typeof invariants)[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const count = journal.breaches(name).length;
      return count === 0 ? [] : [[name, count]];
    }),
  );
}

test('what was acknowledged must be there once and as it was sent, and nothing else', async () => {
  const [first, second] = [append(1), append(2)];
  const rows = [...rowsOf(first), ...rowsOf(second)];
  expect(await breachesOf(rows, [first, second])).toEqual({});
  expect(await breachesOf(rows.slice(1), [first, second])).toEqual({ missing: 1 });
  // Found among the rows, and by both ways of counting them.
  expect(await breachesOf([...rows, rows[0]!], [first, second])).toEqual({ doubled: 3 });
  expect(await breachesOf(rows, [first])).toEqual({ unaccounted: 3 });
  const altered = rows.map((row, index) => (index === 0 ? { ...row, value: 'other' } : row));
  expect(await breachesOf(altered, [first, second])).toEqual({ altered: 1 });
});

test('a write that nobody answered for may be there whole or not at all, and is told', async () => {
  const [first, second] = [append(1), append(2)];
  const rows = [...rowsOf(first), ...rowsOf(second)];
  expect(await breachesOf(rows, [first], [second])).toEqual({ unresolved: 1 });
  expect(await breachesOf(rowsOf(first), [first], [second])).toEqual({ unresolved: 1 });
  expect(await breachesOf(rows.slice(0, -1), [first], [second])).toEqual({ missing: 1, unresolved: 1 });
});
