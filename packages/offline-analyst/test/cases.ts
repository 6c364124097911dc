import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DataSet } from './data-sets.ts';
import { type Analyst, openAnalyst } from './support.ts';

/** A question and its rows: literal, or by a statement written by hand. */
export type Case = readonly [question: string, expected: string | readonly (readonly unknown[])[]];

/** Questions with their preceding questions. */
export function answers(set: DataSet, cases: readonly Case[]): void {
  let analyst: Analyst;
  beforeAll(async () => {
    analyst = await openAnalyst(set);
  });
  afterAll(() => analyst.close());
  it.each(cases)('answers “%s”', async (question, expected) => {
    const answered = await analyst.ask(...question.split(' → '));
    const rows = typeof expected === 'string' ? await analyst.rows(expected) : expected;
    expect(answered.rows?.map(rounded), answered.text).toEqual(rows.slice(0, 100).map(rounded));
  });
}

/** Doubles are compared with nine digits: their sums depend on the order. */
function rounded(row: readonly unknown[]): unknown[] {
  return row.map((value) => (typeof value === 'number' ? Number(value.toPrecision(9)) : value));
}
