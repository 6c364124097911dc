import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Analyst, openAnalyst, toolNames } from './support.ts';

/** Six planes: 3 seat 200, 2 seat 100, and of one it is not known; 3 makers have 2 planes each. */
const hangar = {
  tables: [
    {
      name: 'planes',
      description: '',
      sql: "SELECT * FROM (VALUES ('a', 'Airbus', 200), ('b', 'Boeing', 200), ('c', 'Cessna', 200), ('d', 'Airbus', 100), ('e', 'Boeing', 100), ('f', 'Cessna', NULL)) AS planes(tail, maker, seats)",
    },
  ],
};
let analyst: Analyst;
let writer: Analyst;
beforeAll(async () => {
  analyst = await openAnalyst(hangar);
  writer = await openAnalyst(hangar, [...toolNames.filter((name) => name !== 'write_report'), 'ask_person']);
});
afterAll(() => {
  analyst.close();
  writer.close();
});

it.each([
  ['top 1 planes by seats', '2 more rows have the same `seats` as this one.'],
  ['top 2 planes by seats', '1 more row has the same `seats` as the last of these.'],
  ['top 2 planes by seats where maker is Airbus', undefined],
  ['top 3 planes by seats', undefined],
  ['top 4 planes by seats', '1 more row has the same `seats` as the last of these.'],
  ['bottom 1 planes by seats', '1 more row has the same `seats` as this one.'],
  [
    'top 2 makers by number of planes',
    '1 more group has the same number of rows of `planes` as the last of these.',
  ],
  ['which maker has the most planes?', '2 more groups have the same number of rows of `planes` as this one.'],
  ['top 2 makers by average seats', '1 more group'],
  ['planes by maker', undefined],
  ['top 10 planes by seats', undefined],
])('tells for “%s” what is tied beyond it: %s', async (question, tied) => {
  const { text, calls } = await analyst.ask(question);
  if (tied === undefined) expect(text).not.toMatch(/\bmore (rows?|groups?) ha/);
  else expect(text).toContain(tied);
  // The rows of the answer are those of the last statement.
  expect(text).toContain(String(calls.findLast(({ tool }) => tool === 'run_sql')?.input['sql']));
});

it('keeps the answers of a document apart, of which some have ties and some have none to count', async () => {
  const asked = [
    ['top 2 planes by seats', '1 more row has the same `seats` as the last of these.'],
    ['how many planes', '**6**'],
    ['which maker has the most planes?', '2 more groups have the same number'],
    ['top 1 planes by seats', '2 more rows have the same `seats` as this one.'],
    ['bottom 1 planes by seats', '1 more row has the same `seats` as this one.'],
    ['average seats', '**160**'],
    ['top 4 planes by seats', '1 more row has the same `seats` as the last of these.'],
  ] as const;
  const { text } = await writer.ask(asked.map(([question]) => `- ${question}`).join('\n'));
  const answers = text
    .slice(0, text.indexOf('## How it was computed'))
    .split(/^\*\*(?=[a-z])/m)
    .slice(1);
  expect(answers).toHaveLength(asked.length);
  for (const [index, [question, tied]] of asked.entries()) {
    expect(answers[index]).toContain(`${question}**`);
    expect(answers[index]).toContain(tied);
  }
});

it('answers where the ties cannot be counted', async () => {
  const others = await openAnalyst(hangar, toolNames, (sql) => !sql.includes('rank()'));
  const { text } = await others.ask('top 2 planes by seats');
  others.close();
  expect(text).toContain('| 200');
  expect(text).toContain('Further rows may have the same `seats` as the last of these.');
});
