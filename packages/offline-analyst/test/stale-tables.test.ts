import { expect, it } from 'vitest';
import { offlineModel } from '../src/model.ts';
import { optionsOf, toolNames } from './support.ts';

const columns = [{ name: 'total', dataType: 'INTEGER', nulls: 0, distinct: 1, values: null }];
const stale = (more: object) => ({
  name: 'totals',
  builtAt: '2026-11-21T08:30:00.000Z',
  changed: [],
  isRedefined: false,
  ...more,
});

/** What the analyst says to a question whose last tool told of these stale tables. */
async function answered(
  question: string,
  tool: string,
  staleTables?: object[],
  offered = toolNames,
): Promise<string> {
  const staleness = staleTables === undefined ? {} : { staleTables };
  const results: Record<string, object> = {
    list_tables: { tables: [{ name: 'totals', description: '', note: '', rowCount: 1, columns }] },
    describe_table: { name: 'totals', rowCount: 1, columns },
    run_sql: { resultId: 'res_1', columns, rows: [[3]], rowCount: 1, truncated: false },
    sample_rows: { columns, rows: [[3]] },
  };
  const names = tool === 'describe_table' ? ['list_tables', tool] : ['list_tables', 'describe_table', tool];
  const { content } = await offlineModel().doGenerate(
    optionsOf(
      [
        { role: 'user', content: [{ type: 'text', text: question }] },
        ...names.map((toolName) => ({
          role: 'tool' as const,
          content: [
            {
              type: 'tool-result' as const,
              toolCallId: toolName,
              toolName,
              output: {
                type: 'text' as const,
                value: JSON.stringify({ ...results[toolName], ...(toolName === tool ? staleness : {}) }),
              },
            },
          ],
        })),
      ],
      offered,
    ),
  );
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

it.each([
  ['What is the total of totals?', 'run_sql'],
  ['show 5 rows of totals', 'sample_rows'],
  ['describe totals', 'describe_table'],
])(
  '“%s” is answered with what is out of date, and without a word where nothing is',
  async (question, tool) => {
    expect(await answered(question, tool, [stale({ changed: ['sales'] })])).toContain(
      '`totals` is out of date: it was built on 2026-11-21 at 08:30:00 UTC, and `sales` has changed since.',
    );
    expect(await answered(question, tool)).not.toContain('out of date');
  },
);

it.each([
  [{ changed: ['a', 'b'] }, '`a` and `b` have changed since.'],
  [{ changed: ['a', 'b', 'c', 'd', 'e'] }, '`a` and `b` and `c` and 2 more have changed since.'],
  [{ isRedefined: true }, 'its query, or that of a view in it, has changed since.'],
  [{ changed: [] }, 'what it is made from has changed since.'],
  [{ name: null, changed: ['a'] }, 'A calculated table behind a view is out of date'],
  [{ changed: ['`| [x](y)\n# a'] }, 'and `   [x](y) # a` has changed since.'],
])('names what changed: %o', async (more, wanted) => {
  expect(await answered('What is the total of totals?', 'run_sql', [stale(more)])).toContain(wanted);
});

it('a document says so below the answer', async () => {
  const text = await answered(
    '- What is the total of totals?',
    'run_sql',
    [stale({ changed: ['sales'] })],
    [...toolNames, 'ask_person'],
  );
  expect(text).toMatch(/\*\*3\*\*\.\n\n`totals` is out of date: [^\n]* since\.\n\n## How it was computed/);
});

it('reads whatever a tool may have said', async () => {
  for (const staleTables of [[null], ['x'], [{ name: 7, builtAt: 7, changed: 'x' }]])
    expect(await answered('What is the total of totals?', 'run_sql', staleTables as object[])).toContain(
      '**3**',
    );
});
