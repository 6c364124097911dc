import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nextDocumentStep, readDocument } from '../src/document.ts';
import { shop } from './data-sets.ts';
import { type Analyst, openAnalyst, toolNames } from './support.ts';

let analyst: Analyst;
beforeAll(async () => {
  analyst = await openAnalyst(shop, [...toolNames.filter((name) => name !== 'write_report'), 'ask_person']);
});
afterAll(() => analyst.close());

it('reads list items as questions, and keeps headings and paragraphs', () => {
  expect(readDocument('# A\n\nSome\nwords.\n\n- one\n* two\n3. three\n## B')).toEqual([
    { kind: 'heading', text: '# A' },
    { kind: 'text', text: 'Some\nwords.' },
    ...['one', 'two', 'three'].map((text) => ({ kind: 'question', text })),
    { kind: 'heading', text: '## B' },
  ]);
});

it('reads paragraphs as questions if the document has no lists', () => {
  expect(readDocument('# A\n\nhow many orders')).toEqual([
    { kind: 'heading', text: '# A' },
    { kind: 'question', text: 'how many orders' },
  ]);
});

it('reads a long line without end in linear time', () => {
  const line = `-${' \t'.repeat(100_000)}`;
  expect(readDocument(line)).toEqual([{ kind: 'question', text: '-' }]);
});

it('reads spaces before a line separator in linear time', () => {
  // A quadratic algorithm would take two minutes, which exceeds the test timeout.
  expect(readDocument(`- ${' '.repeat(200_000)}\u2028how many orders`)).toEqual([
    { kind: 'question', text: 'how many orders' },
  ]);
});

it('lets other work go on while it reads many long questions', async () => {
  const question = '- total amount by region where region is x or y and '.repeat(6);
  let turns = 0;
  let isRead = false;
  const others = (async () => {
    for (; !isRead; turns += 1) await setImmediate();
  })();
  const answers = [
    { tool: 'list_tables', value: { tables: [{ name: 'orders', columns: ['id', 'amount'] }] } },
  ];
  const messages = [Array.from({ length: 20 }, () => question).join('\n')];
  await nextDocumentStep({ messages, answers, tools: new Set(toolNames), isUnattended: true });
  isRead = true;
  await others;
  expect(turns).toBeGreaterThanOrEqual(20);
});

const asked = ({ calls }: Awaited<ReturnType<Analyst['ask']>>) =>
  calls.filter(({ tool }) => tool === 'ask_person').map(({ input }) => String(input['question']));

it('answers every question where it stands, each with its own numbers', async () => {
  const countries = (await analyst.rows('SELECT DISTINCT country FROM customers ORDER BY 1')).map(String);
  const questions = countries.map((country) => `- how many customers in ${country}`);
  const { text, calls } = await analyst.ask(['# By country', ...questions].join('\n'));
  expect(calls.filter(({ tool }) => tool === 'run_sql')).toHaveLength(countries.length);
  for (const country of countries) {
    const [[count]] = (await analyst.rows(`SELECT count(*) FROM customers WHERE country = '${country}'`)) as [
      [unknown],
    ];
    const answer = text.slice(text.indexOf(`**how many customers in ${country}**`)).split('\n\n')[1];
    expect(answer).toContain(`**${count}**`);
  }
});

it('goes on from the question before under the same heading, and not over headings', async () => {
  const first = await analyst.ask('## A\n- how many orders\n- and by month');
  expect(asked(first)).toEqual([]);
  expect(first.text).toContain('GROUP BY');
  const second = await analyst.ask('## A\n- how many orders\n## B\n- and by month');
  expect(asked(second)).toHaveLength(1);
});

it('draws each chart under its own question', async () => {
  const { text, calls } = await analyst.ask(
    '- number of customers by country as a bar chart\n- how many orders\n- orders by month as a line chart',
  );
  const kinds = calls.filter(({ tool }) => tool === 'draw_chart').map(({ input }) => input['kind']);
  expect(kinds).toEqual(['bar', 'line']);
  const [first, , third] = text.split(/^\*\*(?:number|how|orders)/m).slice(1);
  expect(first).toContain('](chart:');
  expect(third).toContain('](chart:');
});

it('asks where one question is not understood, and says which', async () => {
  const [question] = asked(await analyst.ask('- how many orders\n- the gluon flux of customers'));
  expect(question).toContain('“the gluon flux of customers”');
});

it('asks where there is nothing to answer, or too much', async () => {
  expect(asked(await analyst.ask('# Only a heading'))).toHaveLength(1);
  const many = Array.from({ length: 61 }, () => '- how many orders').join('\n');
  expect(asked(await analyst.ask(many))[0]).toContain('61 questions');
});
