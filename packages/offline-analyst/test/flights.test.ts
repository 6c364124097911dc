import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answers, type Case } from './cases.ts';
import { flights } from './data-sets.ts';
import { type Analyst, openAnalyst } from './support.ts';

const named = 'flights f JOIN airlines a USING (carrier)';
const cases: readonly Case[] = [
  ['How many flights were there in 2024?', [[240]]],
  ['How many flights in March?', 'SELECT count(*) FROM flights WHERE month = 3'],
  ['how many flights in March 2024', 'SELECT count(*) FROM flights WHERE month = 3'],
  ['How many flights left from JFK?', [[120]]],
  [
    'how many flights went from JFK to LAX',
    `SELECT count(*) FROM flights WHERE origin = 'JFK' AND dest = 'LAX'`,
  ],
  [
    'What is the average departure delay by airline name?',
    `SELECT name, avg(dep_delay) FROM ${named} GROUP BY 1 ORDER BY 2 DESC`,
  ],
  [
    'average arrival delay by carrier name, worst first',
    `SELECT name, avg(arr_delay) FROM ${named} GROUP BY 1 ORDER BY 2 DESC`,
  ],
  [
    'best 2 airlines by average arrival delay',
    `SELECT name, avg(arr_delay) FROM ${named} GROUP BY 1 ORDER BY 2 LIMIT 2`,
  ],
  [
    'top 2 destinations by number of flights',
    'SELECT dest, count(*) FROM flights GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2',
  ],
  ['busiest month', [[1, 20]]],
  ['How many flights per month?', 'SELECT month, count(*) FROM flights GROUP BY 1 ORDER BY 1'],
  [
    'Which airports do not have any flights?',
    'SELECT * FROM airports WHERE faa NOT IN (SELECT dest FROM flights) AND faa NOT IN (SELECT origin FROM flights)',
  ],
  [
    'Show the longest flight',
    'SELECT * FROM flights ORDER BY distance DESC, year, month, day, dep_delay LIMIT 1',
  ],
  [
    'What percentage of flights were more than 15 minutes late?',
    'SELECT count(*) FILTER (dep_delay > 15), count(*), round(100.0 * count(*) FILTER (dep_delay > 15) / count(*), 2) FROM flights',
  ],
  [
    'Compare the average departure delay of JFK and LGA',
    'SELECT origin, avg(dep_delay) FROM flights GROUP BY 1 ORDER BY 2 DESC',
  ],
  [
    'average delay (arr_delay) by origin',
    'SELECT origin, avg(arr_delay) FROM flights GROUP BY 1 ORDER BY 2 DESC',
  ],
  ['How many flights did Alpha Air Inc. operate?', [[80]]],
  [
    'average number of seats of planes used by Beta Lines',
    `SELECT avg(seats) FROM planes WHERE tailnum IN (SELECT tailnum FROM flights WHERE carrier = 'BB')`,
  ],
  ['how many planes are retired', [[25]]],
  ['how many planes are not retired', [[25]]],
  ['which planes have no flights', `SELECT * FROM planes WHERE tailnum NOT IN (SELECT tailnum FROM flights)`],
  ['how many different planes flew', [[50]]],
  [
    'Average temperature by month in Seattle',
    `SELECT date_trunc('month', date)::DATE, avg(temp_max), avg(temp_min) FROM seattle_weather GROUP BY 1 ORDER BY 1`,
  ],
  [
    'Average temperature by month in Seattle → and maximum?',
    `SELECT date_trunc('month', date)::DATE, max(temp_max) FROM seattle_weather GROUP BY 1 ORDER BY 1`,
  ],
  ['how many seattle weather have not been checked', [[300]]],
];

describe('over tables with short names', () => answers(flights, cases));

describe('says', () => {
  let analyst: Analyst;
  beforeAll(async () => {
    analyst = await openAnalyst(flights);
  });
  afterAll(() => analyst.close());

  it.each([
    ['average departure delay', 'I read “departure” as “dep”.'],
    ['how many flights did Beta Lines operate', 'I left out “operate”.'],
    ['how many flights were more than 15 minutes late', 'there is also “arr_delay”'],
    ['average arrival delay by carrier, worst first', 'I took more of “arr_delay” as worse.'],
    [
      'which airports have no flights',
      'I joined “airports” and “flights” by “faa” and “dest”, whose values fit.',
    ],
    ['show the longest flight', 'more rows have the same `distance` as this one.'],
    ['average temperature by month in Seattle', 'I took “temp_max” and “temp_min” for “temperature”.'],
  ])('how it read “%s”', async (question, said) => {
    expect((await analyst.ask(question)).text).toContain(said);
  });

  it.each([
    ['How many flights were cancelled?', 'I did not understand “cancelled”'],
    ['how many flights were more than 2 hours late', 'does not say that it is in hours'],
    ['average distance by airport name', 'can be joined by “origin” or “dest”'],
    ['how many planes are used', 'I did not understand “used”'],
    ['how many planes are left?', 'I did not understand “left”'],
    ['how many flights were more than 15 minutes early', 'I did not understand “early”'],
    ['how many seattles are there', 'only a part of the name of “seattle_weather”'],
    ['average delay', 'may be “dep_delay” of “flights” or “arr_delay” of “flights”'],
    ['most popular airport', 'one row for each “name”'],
    ['Wie viele Flüge gab es im Januar?', 'Ich lese nur Englisch'],
    ['Combien de vols par mois ?', 'Je ne lis que l’anglais'],
    ['average seats by airport name', 'no key in common, which is a column that both have'],
  ])('why it does not answer “%s”', async (question, said) => {
    const { text, calls } = await analyst.ask(question);
    expect(calls.map(({ tool }) => tool)).not.toContain('run_sql');
    expect(text).toContain(said);
  });

  it('what a chart has been filtered by', async () => {
    const { calls } = await analyst.ask('number of flights from JFK by carrier as a bar chart');
    const chart = calls.find(({ tool }) => tool === 'draw_chart');
    expect(chart?.input['title']).toBe('Number of rows of flights by carrier, where origin is “JFK”');
  });

  it('finds keys of different names by their values, and asks for them only where it must', async () => {
    const tools = async (question: string) => (await analyst.ask(question)).calls.map(({ tool }) => tool);
    expect(await tools('which airports have no flights')).toContain('find_joins');
    expect(await tools('average distance by airline name')).not.toContain('find_joins');
  });
});
