import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { library, shop, weather } from './data-sets.ts';
import { type Analyst, openAnalyst } from './support.ts';

const sets = { shop, weather, library };
const refused: readonly [set: keyof typeof sets, question: string, says: string][] = [
  ['shop', 'how many unicorns are there', 'I did not understand “unicorns”'],
  ['shop', 'revenue on Mars', '“Mars”'],
  ['shop', 'how many orders in Atlantis', '“Atlantis”'],
  ['shop', 'average happiness by country', '“happiness”'],
  [
    'shop',
    'how many orders where status is payed',
    'status, which contains “cancelled”, “paid”, “refunded”, “shipped”',
  ],
  ['shop', 'revenue last month', 'depends on today'],
  ['shop', 'how many orders yesterday', 'depends on today'],
  ['shop', 'orders in the last 30 days', 'depends on today'],
  ['shop', 'how many orders in March', 'needs a year'],
  ['shop', 'how many orders in 2025-02-31', 'did not understand'],
  ['shop', 'revenue by category', 'cannot join'],
  ['shop', 'average number of orders per customer', 'cannot compute with counts'],
  ['shop', 'average line id', 'identifies rows'],
  ['shop', 'how many customers placed orders in 2025', 'what “orders” has to do with it'],
  ['shop', 'how many distinct customers ordered in 2025?', '“ordered”'],
  ['shop', 'How many orders; DROP TABLE customers', '“DROP”'],
  ['shop', 'how many orders where country is Germany and colour is red', '“colour”, “red”'],
  ['shop', 'what is the price', 'total, average'],
  ['shop', 'and by month?', 'did not understand what you are asking'],
  ['shop', 'how many orders by status, channel and country', 'at most two things'],
  ['shop', 'orders not', '“not”'],
  ['shop', 'share of orders', 'A share of what?'],
  ['shop', 'average unit price by country', 'cannot join'],
  ['shop', 'how many customers where name = "x" and amount over 100 by channel', 'many rows'],
  ['shop', 'how many orders with amount over 100 or under 20', 'only values of one column'],
  ['shop', 'orders with status paid or channel web', 'only values of one column'],
  ['shop', 'number of orders per day of the week', '“week”'],
  ['shop', 'difference between max and min amount', '“between”'],
  ['shop', 'describe customers in Germany', 'whole tables and columns only'],
  ['shop', 'average amount of 5 orders', '“5” of what?'],
  ['shop', 'what is the highest number of orders', 'of what?'],
  ['shop', 'last 5 orders by country', 'not compute with them'],
  ['shop', 'number of orders by country sorted by amount', 'what to do with “amount”'],
  ['shop', 'how many customers named Customer', '“named”'],
  ['shop', 'average amount status', 'what to do with “status”'],
  ['shop', 'how many orders are there in the Q9 2025', '“Q9”'],
  ['weather', 'when was the highest temperature', 'cannot tell when'],
  ['weather', 'temperature in Bremen', 'total, average'],
  ['weather', 'stations above 200', 'Which column should be compared'],
  ['weather', 'inactive stations', '“inactive”'],
  ['weather', 'total temperature in Berlin', '“Berlin”'],
  ['library', 'loans in 5 days', 'did not understand'],
  ['library', 'top 5 loans by colour', '“colour”'],
  ['library', 'predict the loans of 2027 with regression', '“predict”'],
];

function own(name: keyof typeof sets) {
  return refused.flatMap(([set, question, says]) => (set === name ? [[question, says] as const] : []));
}

describe.each(Object.keys(sets) as (keyof typeof sets)[])('over the tables of the %s', (name) => {
  let analyst: Analyst;
  beforeAll(async () => {
    analyst = await openAnalyst(sets[name]);
  });
  afterAll(() => analyst.close());

  it.each(own(name))('runs no query for “%s”', async (question, says) => {
    const { text, calls } = await analyst.ask(question);
    expect(calls.map(({ tool }) => tool)).not.toContain('run_sql');
    expect(text).toContain(says);
    expect(text).toContain('You could ask:');
  });

  it('can answer each question that it proposes', async () => {
    const { text } = await analyst.ask('what about unicorns?');
    const proposed = text.split('\n').filter((line) => line.startsWith('- '));
    expect(proposed).toHaveLength(3);
    for (const line of proposed) {
      const { rows, text: answer } = await analyst.ask(line.slice(2));
      expect(rows?.length, answer).toBeGreaterThan(0);
    }
  });
});
