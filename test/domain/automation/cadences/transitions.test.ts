import { expect, test } from 'vitest';
import { intlTransitions, walkTransitions } from './walk.ts';

const range = [Date.UTC(2010, 0, 1), Date.UTC(2030, 0, 1)] as const;

/**
 * Of zones whose clocks changed at the same instants by the same amount, the first; each with those changes.
 */
function distinctRules() {
  const found = new Map<string, { zoneId: string; transitions: ReturnType<typeof intlTransitions> }>();
  for (const zoneId of Intl.supportedValuesOf('timeZone')) {
    // In these years, changes of a zone are weeks apart; bench/cadences.ts samples every six hours.
    const transitions = intlTransitions(zoneId, range, 5 * 24);
    const rules = JSON.stringify(transitions);
    if (!found.has(rules)) found.set(rules, { zoneId, transitions });
  }
  return [...found.values()];
}

test('the clock, looked at each minute around 20 years of transitions, agrees in every distinct zone', () => {
  const rules = distinctRules();
  const totals = { transitions: 0, asked: 0, wrong: [] as string[] };
  for (const { zoneId, transitions } of rules) {
    const walk = walkTransitions(zoneId, transitions);
    totals.transitions += walk.transitions;
    totals.asked += walk.asked;
    totals.wrong.push(...walk.wrong.slice(0, 3));
  }
  expect(totals.wrong).toEqual([]);
  // Fewer would mean that no clock was examined, even if everything agreed.
  expect(rules.length).toBeGreaterThan(80);
  expect(totals.transitions).toBeGreaterThan(1_500);
});
