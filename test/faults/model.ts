import { type Operation, type Row, rowsOf, type TableKey } from './rows.ts';

/** How a write ended, as its client was told; `open` if no answer has settled it yet. */
export type Fate = 'open' | 'acknowledged' | 'refused';

export interface Entry {
  operation: Operation;
  fate: Fate;
  /** The resulting version of the table, if it was acknowledged. */
  version: number;
}

/** What the tables must contain, according to what was acknowledged. */
export interface Model {
  begin(operation: Operation): void;
  acknowledge(operation: Operation, version: number): void;
  refuse(operation: Operation): void;
  /** Acknowledged writes of a table in the order in which their clients learned of it; append-only. */
  acknowledged(table: TableKey): readonly Entry[];
  find(no: number): Entry | undefined;
  open(): Entry[];
  /**
   * Every row that must be in the table. A write that is still open may be there completely, or not at all.
   */
  expectedRows(table: TableKey, foundNos: ReadonlySet<number>): Map<number, Row>;
}

export function createModel(): Model {
  const entries = new Map<number, Entry>();
  const acknowledged: Record<TableKey, Entry[]> = { appends: [], items: [], whole: [], snapshot: [] };

  /** The operations whose rows are the table's content. */
  function standing(table: TableKey, foundNos: ReadonlySet<number>): Entry[] {
    const maybe = [...entries.values()].filter(
      ({ operation, fate }) => operation.table === table && fate === 'open' && foundNos.has(operation.no),
    );
    const known = acknowledged[table];
    if (table === 'appends') return [...known, ...maybe];
    if (table === 'items') {
      // Each lane writes sequentially, so its last write counts.
      const last = new Map([...known, ...maybe].map((entry) => [entry.operation.lane, entry]));
      return [...last.values()];
    }
    const newest = known.toSorted((a, b) => b.version - a.version).slice(0, 1);
    return maybe.length > 0 ? maybe.slice(0, 1) : newest;
  }

  return {
    begin: (operation) => void entries.set(operation.no, { operation, fate: 'open', version: 0 }),
    acknowledge(operation, version) {
      const entry = entries.get(operation.no)!;
      Object.assign(entry, { fate: 'acknowledged', version });
      acknowledged[operation.table].push(entry);
    },
    refuse: (operation) => void Object.assign(entries.get(operation.no)!, { fate: 'refused' }),
    acknowledged: (table) => acknowledged[table],
    find: (no) => entries.get(no),
    open: () => [...entries.values()].filter(({ fate }) => fate === 'open'),
    expectedRows: (table, foundNos) =>
      new Map(
        standing(table, foundNos).flatMap(({ operation }) =>
          rowsOf(operation).map((row) => [row.s_id, row] as const),
        ),
      ),
  };
}
