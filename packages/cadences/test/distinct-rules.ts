import { expect } from 'vitest';
import { intlTransitions, walkTransitions } from './walk.ts';

type Range = readonly [fromMs: number, toMs: number];

/**
 * Of zones whose clocks changed at the same instants by the same amount, the first; each with those changes.
 */
function distinctRules(range: Range) {
  const found = new Map<string, { zoneId: string; transitions: ReturnType<typeof intlTransitions> }>();
  for (const zoneId of Intl.supportedValuesOf('timeZone')) {
    // In these years, changes of a zone are weeks apart; ../bench/cadences.ts samples every six hours.
    const transitions = intlTransitions(zoneId, range, 5 * 24);
    const rules = JSON.stringify(transitions);
    if (!found.has(rules)) found.set(rules, { zoneId, transitions });
  }
  return [...found.values()];
}

/** The clock, looked at each minute around the transitions, agrees in every distinct zone. */
export function expectAgreement(fromYear: number, toYear: number): { rules: number; transitions: number } {
  const rules = distinctRules([Date.UTC(fromYear, 0, 1), Date.UTC(toYear, 0, 1)]);
  const totals = { transitions: 0, wrong: [] as string[] };
  for (const { zoneId, transitions } of rules) {
    const walk = walkTransitions(zoneId, transitions);
    totals.transitions += walk.transitions;
    totals.wrong.push(...walk.wrong.slice(0, 3));
  }
  expect(totals.wrong).toEqual([]);
  return { rules: rules.length, transitions: totals.transitions };
}
