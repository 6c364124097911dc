import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shop } from './data-sets.ts';
import { type Analyst, openAnalyst } from './support.ts';

// The description for users, in the documentation of the repository.
const text = readFileSync('docs/offline-analyst.md', 'utf8');
const examples = text
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| What | Examples'))
  .flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, example]) => example!));

let analyst: Analyst;
beforeAll(async () => {
  analyst = await openAnalyst(shop);
});
afterAll(() => analyst.close());

it('has examples', () => {
  expect(examples.length).toBeGreaterThan(50);
});

it.each(examples)('understands the documented “%s”', async (example) => {
  const answered = await analyst.ask(...example.split(' → '));
  expect(answered.text).not.toMatch(/did not understand|Say which|say which|The query failed/);
  const isHelp = answered.text.startsWith('I am the offline analyst');
  expect(isHelp || !answered.text.includes('You could ask:'), answered.text).toBe(true);
  if (answered.rows !== undefined) expect(answered.rows.length).toBeGreaterThan(0);
});
