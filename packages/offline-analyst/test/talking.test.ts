import { afterAll, beforeAll, expect, it } from 'vitest';
import { library, shop, weather } from './data-sets.ts';
import { type Analyst, openAnalyst } from './support.ts';

let analyst: Analyst;
let stations: Analyst;
let loans: Analyst;
beforeAll(async () => {
  [analyst, stations, loans] = await Promise.all([
    openAnalyst(shop),
    openAnalyst(weather),
    openAnalyst(library),
  ]);
});
afterAll(() => [analyst, stations, loans].forEach((one) => void one.close()));

const tools = ({ calls }: Awaited<ReturnType<Analyst['ask']>>) => calls.map(({ tool }) => tool);
const inputOf = ({ calls }: Awaited<ReturnType<Analyst['ask']>>, tool: string) =>
  calls.find((call) => call.tool === tool)?.input;

it.each(['help', 'who are you?', 'What can you do?', 'Hello'])(
  'says what it is when asked “%s”',
  async (question) => {
    const { text } = await analyst.ask(question);
    expect(text).toMatch(/^I am the offline analyst: a deterministic program, without a language model/);
  },
);

it.each(['What tables are there?', 'list the tables', 'what data do you have', 'which datasets are there?'])(
  'lists the tables for “%s”',
  async (question) => {
    const answered = await analyst.ask(question);
    expect(tools(answered)).toEqual(['list_tables']);
    expect(answered.text).toContain('| order_lines | 600 | line_id, order_id, product_id, quantity |  |');
  },
);

it.each(['describe orders', 'what columns does orders have?', 'profile orders', 'tell me about the orders'])(
  'describes a table for “%s”',
  async (question) => {
    const answered = await analyst.ask(question);
    expect(tools(answered)).toEqual(['list_tables', 'describe_table']);
    expect(answered.text).toContain(
      '| status | STRING | 0 | 4 | cancelled | shipped | cancelled, paid, refunded, shipped |',
    );
  },
);

it.each(['profile the column email of customers', 'describe email in customers'])(
  'profiles a column for “%s”',
  async (question) => {
    const { text } = await analyst.ask(question);
    expect(text).toContain('of 40 rows 8 are missing, and there are 32 different values');
  },
);

it('tells the values of a column', async () => {
  const { text } = await analyst.ask('what values does status have');
  expect(text).toContain('“cancelled”, “paid”, “refunded”, “shipped”');
});

it.each([
  ['show 5 rows of orders', 5],
  ['sample of products', 10],
  ['preview customers', 10],
  ['show me 3 customers', 3],
])('shows rows for “%s”', async (question, limit) => {
  const answered = await analyst.ask(question);
  expect(inputOf(answered, 'sample_rows')?.['limit']).toBe(limit);
  expect(answered.text).toContain(`${limit} rows of`);
  expect(answered.text).not.toContain('s_id');
});

it('describes both tables of a join in one step, and asks nothing twice', async () => {
  const answered = await analyst.ask('total amount of orders by customers country');
  expect(tools(answered)).toEqual(['list_tables', 'describe_table', 'describe_table', 'run_sql']);
});

it('tells one figure in a sentence, with its SQL', async () => {
  const { text } = await analyst.ask('average amount of paid orders in 2025');
  expect(text).toMatch(
    /^The average of `amount` is \*\*\d+\.\d+\*\*, where `status` is “paid” and `order_date` is from 2025-01-01/,
  );
  expect(text).toContain('```sql\nSELECT avg("amount")');
});

it('shows twenty rows, and how many more there are', async () => {
  const { text } = await analyst.ask('paid orders');
  expect(text.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(22);
  expect(text).toContain('… and 100 more rows, kept in the result.');
});

it('says how it read words that are no names', async () => {
  const { text } = await analyst.ask('total revenue by chanel');
  expect(text).toContain('I read “revenue” as the column “amount” of “orders”.');
  expect(text).toContain('I read “chanel” as “channel”.');
});

it('says what it left out', async () => {
  const { text } = await analyst.ask('how many orders are there approximately');
  expect(text).toContain('I left out “approximately”.');
});

it('says which column of dates it took', async () => {
  const { text } = await loans.ask('loans by month');
  expect(text).toContain('I took the dates from “loaned_on” (there is also “due_on”).');
});

it.each([
  ['orders by status as a bar chart', { kind: 'bar', x: 'status', y: 'count' }],
  ['pie chart of orders by status', { kind: 'pie', x: 'status', y: 'count' }],
  ['plot revenue over time', { kind: 'line', x: 'month', y: 'total_amount' }],
  ['revenue by month in 2025', { kind: 'line', x: 'month', y: 'total_amount' }],
  [
    'area chart of revenue by quarter and channel',
    { kind: 'area', x: 'quarter', y: 'total_amount', series: 'channel' },
  ],
  ['revenue by country → now as a pie chart', { kind: 'pie', x: 'country', y: 'total_amount' }],
  ['how many orders by channel → as a line chart', { kind: 'line', x: 'channel', y: 'count' }],
  ['Draw a chart of the number of customers by country', { kind: 'bar', x: 'country', y: 'count' }],
])('draws “%s”', async (question, chart) => {
  const answered = await analyst.ask(...question.split(' → '));
  const { title, ...input } = inputOf(answered, 'draw_chart') ?? {};
  expect(input).toEqual({ result_id: 'res_1', ...chart });
  expect(answered.text).toContain(` ${chart.kind} chart: “`);
  expect(title).toBeTruthy();
});

it('draws two columns of numbers against each other', async () => {
  const answered = await stations.ask('scatter plot of temperature against humidity');
  expect(inputOf(answered, 'draw_chart')).toMatchObject({ kind: 'scatter', x: 'temperature', y: 'humidity' });
});

it('says why one figure makes no chart', async () => {
  const answered = await analyst.ask('chart of total revenue');
  expect(tools(answered)).not.toContain('draw_chart');
  expect(answered.text).toContain('A single figure');
});

it.each([
  'write a report on revenue by country',
  'revenue by country → as a report',
  'report: revenue by country',
])('writes a report for “%s”', async (question) => {
  const answered = await analyst.ask(...question.split(' → '));
  const { title, content } = inputOf(answered, 'write_report') ?? {};
  expect(title).toBe('Total of amount by country');
  expect(content).toContain('| Austria | 16012.75 |');
  expect(content).toContain('```sql');
  expect(answered.text).toContain('I wrote the report “Total of amount by country”.');
});

it('draws and then reports', async () => {
  const answered = await analyst.ask('write a report with a bar chart of orders by status');
  expect(tools(answered).slice(-3)).toEqual(['run_sql', 'draw_chart', 'write_report']);
});

it('says how tables are attached when there is none', async () => {
  const empty = await openAnalyst({ tables: [] });
  const { text, calls } = await empty.ask('how many orders');
  expect(calls.map(({ tool }) => tool)).toEqual(['list_tables']);
  expect(text).toContain('POST /v1/projects/{project_id}/catalog-entries');
  empty.close();
});

it('answers without tools that it was not given', async () => {
  const none = await openAnalyst(shop, []);
  expect((await none.ask('how many orders')).text).toContain('I am the offline analyst');
  none.close();
  const noQueries = await openAnalyst(shop, ['list_tables', 'describe_table']);
  const { text } = await noQueries.ask('how many orders');
  expect(text).toContain('not given the tool to run queries');
  expect(text).toContain('SELECT count(*)');
  noQueries.close();
  const noCharts = await openAnalyst(shop, ['list_tables', 'describe_table', 'run_sql']);
  expect((await noCharts.ask('pie chart of orders by status')).text).toContain(
    'not given the tool to draw charts',
  );
  noCharts.close();
});
