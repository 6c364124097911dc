import { inOrder, reachable } from '../derived-relations/graph.ts';
import { readsThrough, type Staleness, type Surroundings } from './freshness.ts';
import type { Materialization } from './materializations.ts';

/** One table to be built, and those of the same plan that are built before it. */
export interface PlannedBuild {
  tableId: string;
  after: string[];
}

/** The calculated tables that a run may have to build, whether or not they are stale. */
export function concerned(
  { graph, defined }: Surroundings,
  { table_id: tableId, mode, downstream }: Pick<Materialization, 'table_id' | 'mode' | 'downstream'>,
): string[] {
  if (mode === 'materialize') return [tableId];
  const ends = downstream ? [tableId, ...reachable([tableId], graph.readBy)] : [tableId];
  const all = [...new Set([...ends, ...reachable(ends, graph.reads)])];
  return inOrder(
    all.filter((id) => defined.get(id)?.kind === 'calc'),
    graph.reads,
  );
}

/** What is built: the one table, or all that are stale or made from what is built, in order. */
export function planOf(
  around: Surroundings,
  materialization: Pick<Materialization, 'table_id' | 'mode' | 'downstream'>,
  staleness: (id: string) => Staleness,
): PlannedBuild[] {
  const planned = new Map<string, PlannedBuild>();
  for (const tableId of concerned(around, materialization)) {
    const after = readsThrough(around, tableId).tables.filter((id) => planned.has(id));
    const isWanted =
      materialization.mode === 'materialize' || after.length > 0 || staleness(tableId).length > 0;
    if (isWanted) planned.set(tableId, { tableId, after });
  }
  return [...planned.values()];
}
