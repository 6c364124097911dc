import type { Influence } from './contract.ts';

/** What affects one column of an operator's result: for each column of a table, in which ways. */
export type Origins = Map<string, Set<Influence>>;

/** The key of a column; names of tables come from the plan. */
export const originKey = (table: string, column: string): string => JSON.stringify([table, column]);

const directOnes: readonly Influence[] = ['identity', 'transformation', 'aggregation'];

/** The same columns, which now have at least this influence; what was indirect stays so. */
export const as =
  (influence: Influence) =>
  (origins: Origins): Origins =>
    new Map([...origins].map(([key, influences]) => [key, new Set([...influences].map(become(influence)))]));

const become =
  (influence: Influence) =>
  (before: Influence): Influence => {
    const [was, is] = [directOnes.indexOf(before), directOnes.indexOf(influence)];
    if (was === -1) return before;
    return is === -1 ? influence : directOnes[Math.max(was, is)]!;
  };

export function union(all: readonly Origins[]): Origins {
  if (all.length === 1) return all[0]!;
  const result: Origins = new Map();
  for (const origins of all)
    for (const [key, influences] of origins) {
      const known = result.get(key);
      result.set(key, known === undefined ? influences : new Set([...known, ...influences]));
    }
  return result;
}
