import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { offlineModel } from '../src/model.ts';
import { tokenize } from '../src/words.ts';
import type { DataSet } from './data-sets.ts';
import { openAnalyst, optionsOf, toolNames } from './support.ts';

const evil: DataSet = {
  tables: [
    {
      name: 'or"ders; --',
      description: 'a|b <script>',
      sql: `SELECT i AS "am""ount", ['a|b', 'x\`y', '<img src=x>', E'new\\nline', 'o''clock', '</data-0a1b2c3d>'][1 + i % 6] AS "sta'tus"
        FROM range(0, 60) t(i)`,
    },
  ],
};

it('quotes names and values, whatever they hold', async () => {
  const analyst = await openAnalyst(evil);
  expect((await analyst.ask('how many unicorns are there')).text).toContain('did not understand');
  const { rows, sql } = await analyst.ask('total am ount by sta tus');
  expect(rows).toHaveLength(6);
  expect(sql).toContain('"am""ount"');
  const quoted = await analyst.ask(`how many or ders where sta tus is "o'clock"`);
  expect(quoted.rows).toEqual([[10]]);
  const injected = await analyst.ask(`how many or ders where sta tus is "x' OR '1'='1"`);
  expect(injected.rows).toEqual([[0]]);
  analyst.close();
});

it('shows values of data as text', async () => {
  const analyst = await openAnalyst(evil);
  const { text } = await analyst.ask('or ders by sta tus');
  const table = text.split('```')[0]!;
  expect(table).toContain('a\\|b');
  expect(table).toContain('x\\`y');
  expect(table).toContain('&lt;img src=x&gt;');
  expect(table).toContain('| new line |');
  expect((await analyst.ask('what tables are there')).text).not.toContain('<script>');
  analyst.close();
});

it('keeps a value from ending the block of SQL', async () => {
  const analyst = await openAnalyst(evil);
  const { text } = await analyst.ask('how many or ders where sta tus is "```"');
  expect(text).toContain('````sql');
  analyst.close();
});

it.each([
  ['a word of 32,000 letters', 'a'.repeat(32_000)],
  ['thousands of words', 'unicorn orders by '.repeat(2_000)],
  ['thousands of numbers', '1,000,000.5 '.repeat(2_500)],
  ['quotation marks', `'"“`.repeat(10_000)],
  ['control and zero-width characters', '\u0000\u200b\u202e\ufeff'.repeat(8_000)],
  ['letters that expand', '\ufdfa'.repeat(32_000)],
  ['combining marks', `e${'\u0301'.repeat(31_999)}`],
  ['surrogates', '\ud83d'.repeat(32_000)],
  ['commas', ','.repeat(32_000)],
  ['nested words', 'how many '.repeat(3_500)],
])('comes to an answer for %s', async (_, message) => {
  const analyst = await openAnalyst(evil);
  const { text } = await analyst.ask(message);
  expect(text.length).toBeGreaterThan(20);
  expect(text.length).toBeLessThan(20_000);
  analyst.close();
});

it('reads the first 400 words, and says so', async () => {
  expect(tokenize('word '.repeat(1_000)).tokens).toHaveLength(400);
  const analyst = await openAnalyst(evil);
  const { text } = await analyst.ask(`how many or ders ${'please '.repeat(1_000)}`);
  expect(text).toContain('I read the first 400 words of it.');
  analyst.close();
});

it('reads through zero-width characters', async () => {
  const analyst = await openAnalyst(evil);
  const { rows } = await analyst.ask('how m\u200bany or ders');
  expect(rows).toEqual([[60]]);
  analyst.close();
});

const asked: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'how many orders' }] }];
const toolResult = (toolName: string, value: string): LanguageModelV4Prompt[number] => ({
  role: 'tool',
  content: [
    { type: 'tool-result', toolCallId: `call_${toolName}`, toolName, output: { type: 'text', value } },
  ],
});
const marked = (value: unknown) => `<data-0a1b2c3d>\n${JSON.stringify(value)}\n</data-0a1b2c3d>`;
const columns = [{ name: 'order_id', dataType: 'INTEGER' }];
const tables = marked({ tables: [{ name: 'orders', description: '', note: '', rowCount: 3, columns }] });
const description = marked({ name: 'orders', rowCount: 3, columns });
const textOf = async (prompt: LanguageModelV4Prompt) => {
  const { content } = await offlineModel().doGenerate(optionsOf(prompt, toolNames));
  return content.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ');
};

it.each(['[removed]', '<data-1>\n{"tables": [', '', '<data-1>', marked(null), marked({ tables: 'none' })])(
  'says that a list of tables cannot be read: %j',
  async (value) => {
    expect(await textOf([...asked, toolResult('list_tables', value)])).toContain('could not be listed');
  },
);

it('says in plain words why a query failed', async () => {
  const error = marked({ error: { code: 'query_timeout', message: 'It took <long>.' } });
  const prompt = [
    ...asked,
    toolResult('list_tables', tables),
    toolResult('describe_table', description),
    toolResult('run_sql', error),
  ];
  const text = await textOf(prompt);
  expect(text).toContain('The query failed, so there is no answer: query_timeout, It took &lt;long&gt;.');
});

it('asks the tools again for every question', async () => {
  const earlier = [...asked, toolResult('list_tables', tables), toolResult('describe_table', description)];
  expect(await textOf([...earlier, ...asked])).toBe('tool-call');
});

it('goes on where a table could not be described', async () => {
  const error = marked({ error: { code: 'not_found', message: 'gone' } });
  const prompt = [...asked, toolResult('list_tables', tables), toolResult('describe_table', error)];
  expect(await textOf(prompt)).toBe('tool-call');
});
