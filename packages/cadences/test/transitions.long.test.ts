import { expect, test } from 'vitest';
import { expectAgreement } from './distinct-rules.ts';

test('the clock, looked at each minute around 20 years of transitions, agrees in every distinct zone', () => {
  const { rules, transitions } = expectAgreement(2010, 2030);
  // Fewer would mean that no clock was examined, even if everything agreed.
  expect(rules).toBeGreaterThan(80);
  expect(transitions).toBeGreaterThan(1_500);
});
