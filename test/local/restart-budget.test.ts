import { describe, expect, it } from 'vitest';
import { restartBudget, restartDelayMs } from '../../local/restart-budget.ts';

describe('restart budget', () => {
  it('allows four deaths within a minute and refuses the fifth', () => {
    const budget = restartBudget();
    expect([0, 10_000, 20_000, 30_000, 59_999].map((atMs) => budget.spend(atMs))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('forgets deaths older than a minute', () => {
    const budget = restartBudget();
    for (const atMs of [0, 1, 2, 3]) budget.spend(atMs);
    expect(budget.spend(60_003)).toBe(true);
    expect(budget.spent(60_003)).toBe(1);
  });

  it('restarts at once after a first death and within seconds after more', () => {
    expect([1, 2, 3, 4].map(restartDelayMs)).toEqual([0, 500, 1_000, 2_000]);
  });
});
