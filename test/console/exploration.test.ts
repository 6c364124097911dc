import { expect, test } from 'vitest';
import {
  addressed,
  type Exploration,
  fromAddress,
  nothing,
  statementOf,
} from '../../console/src/data/explore/exploration.ts';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
const columns = [
  { name: 'city', dataType: 'STRING' },
  { name: 'say "hi"', dataType: 'INTEGER' },
  { name: 'day', dataType: 'DATE' },
];
const of = (chosen: Partial<Exploration>) => statementOf('"t"', columns, { ...nothing, ...chosen });

test('what was chosen is one statement, whose names and values cannot leave their place', () => {
  expect(of({})).toBe('SELECT *\nFROM "t"');
  expect(
    of({
      filters: [
        { column: 'city', test: 'contains', value: "50%_\\'; DROP" },
        { column: 'say "hi"', test: 'above', value: '3' },
        { column: 'gone', test: 'is', value: '1' },
      ],
      sort: [{ column: 'say "hi"', isDescending: true }],
      hidden: ['day'],
    }),
  ).toBe(`SELECT "city", "say ""hi"""
FROM "t"
WHERE "city" ILIKE '%50\\%\\_\\\\''; DROP%' ESCAPE '\\'
  AND "say ""hi""" >= '3'
ORDER BY "say ""hi""" DESC NULLS LAST`);
  expect(
    of({ groups: [{ column: 'day', unit: 'month' }], measures: [{ function: 'sum', column: 'say "hi"' }] }),
  ).toBe(`SELECT date_trunc('month', "day") AS "day", sum("say ""hi""") AS "sum of say ""hi"""
FROM "t"
GROUP BY ALL
ORDER BY "day" NULLS LAST`);
  expect(of({ groups: [{ column: 'city' }] })).toBe(
    'SELECT "city", count(*) AS "rows"\nFROM "t"\nGROUP BY ALL\nORDER BY "rows" DESC NULLS LAST',
  );
});

test('every statement is one that the service runs', async () => {
  const client = await workspace.organization();
  const made = await client.call('POST', '/v1/grid/tables', {
    body: {
      name: 't',
      kind: 'data',
      columns: columns.map(({ name, dataType }) => ({ name, data_type: dataType })),
    },
  });
  const rows = [
    { s_id: 1, city: '50%_\\ off', 'say "hi"': 4, day: '2026-01-03' },
    { s_id: 2, city: 'Porto', 'say "hi"': 2, day: '2026-01-20' },
    { s_id: 3, city: null, 'say "hi"': 7, day: '2026-02-01' },
  ];
  const sent = await client.call('POST', `/v1/tables/${made.body.data.tableId}/rows`, { body: { rows } });
  expect(sent.status, sent.text).toBe(200);
  const counted = async (chosen: Partial<Exploration>) => {
    const { status, body, text } = await client.call('POST', '/v1/query-executions', {
      body: { sql: of(chosen) },
    });
    expect(status, text).toBe(200);
    return body.data.rowCount as number;
  };
  const filter = (column: string, test: Exploration['filters'][number]['test'], value = '') =>
    counted({ filters: [{ column, test, value }] });
  expect(await filter('city', 'contains', '50%_\\')).toBe(1);
  expect(await filter('city', 'starts', 'po')).toBe(1);
  expect(await filter('city', 'is_not', 'Porto')).toBe(2);
  expect(await filter('city', 'empty')).toBe(1);
  expect(await filter('city', 'filled')).toBe(2);
  expect(await filter('day', 'below', '2026-01-20')).toBe(2);
  expect(await filter('say "hi"', 'is', '7')).toBe(1);
  expect(await counted({ groups: [{ column: 'day', unit: 'month' }] })).toBe(2);
  expect(await counted({ measures: [{ function: 'avg', column: 'say "hi"' }, { function: 'count' }] })).toBe(
    1,
  );
});

test('the address keeps it, and what else is typed there is left out', () => {
  const chosen: Exploration = {
    filters: [{ column: 'city', test: 'is', value: 'Porto' }],
    sort: [{ column: 'city', isDescending: false }],
    hidden: ['day'],
    groups: [{ column: 'day', unit: 'week' }],
    measures: [{ function: 'count' }],
  };
  expect(fromAddress(addressed(chosen))).toEqual(chosen);
  expect(addressed(nothing)).toBeUndefined();
  for (const text of [
    undefined,
    '',
    '{',
    'null',
    '[]',
    '{"filters": 1, "sort": [1], "groups": [{"column": 2}]}',
  ])
    expect(fromAddress(text)).toEqual(nothing);
  expect(fromAddress('{"filters": [{"column": "a", "test": "evil", "value": "1"}]}')).toEqual(nothing);
});
