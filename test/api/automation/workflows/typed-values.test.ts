import { beforeAll, expect, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, steps, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

let client: TestClient;
let workflows: ReturnType<typeof workflowsOf>;

beforeAll(async () => {
  client = await workspace.organization();
  const project = await projectOf(client);
  workflows = workflowsOf(client, () => project);
});

/** A condition over the rows of a statement. One that gives NULL fails its run. */
const holds = (sql: string, condition: string, parameters: object = {}) =>
  graphOf(
    [node('read', 'query', { sql }), node('right', 'condition', { sql: condition })],
    [['read.rows', 'right.input']],
    parameters,
  );

const wide = `SELECT 3000000000 AS n, TIMESTAMPTZ '2026-01-02T00:00:00Z' AS t, [1, 2] AS l, {'a': 1.5} AS s,
  MAP {'k': 1} AS m, INTERVAL 36 HOUR AS i, '\\x00\\x01'::BLOB AS b, '{"x": 1}'::JSON AS j`;

test('a condition reads its input with its types', async () => {
  const { id } = await workflows.active(
    holds(
      wide,
      `SELECT CASE WHEN n + 1 = 3000000001 AND t - INTERVAL 1 DAY = TIMESTAMPTZ '2026-01-01T00:00:00Z' AND len(l) = 2
        AND s.a + 1 = 2.5 AND m['k'] = 1 AND i > INTERVAL 1 DAY AND octet_length(b) = 2 AND j.x = '1'
        THEN true END FROM input`,
    ),
  );
  const run = await workflows.ran(id);
  expect(run.status, JSON.stringify(run)).toBe('succeeded');
});

test('a condition reads as many rows as a query gives', async () => {
  const { id } = await workflows.active(
    holds(
      'SELECT range AS n FROM range(10000)',
      'SELECT CASE WHEN sum(n) = 49995000 THEN true END FROM input',
    ),
  );
  const run = await workflows.ran(id);
  expect(run.status, JSON.stringify(run)).toBe('succeeded');
});

test('a value in SQL has the type that it had, and a date of a parameter is a date', async () => {
  const { id } = await workflows.active(
    graphOf(
      [
        node('at', 'query', { sql: "SELECT TIMESTAMPTZ '2026-01-02T00:00:00Z'" }),
        node('price', 'query', { sql: 'SELECT 1.50::DECIMAL(10,2)' }),
        node('before', 'query', {
          sql: `SELECT CASE WHEN typeof(\${at.rows}) = 'TIMESTAMP WITH TIME ZONE' THEN \${at.rows} - INTERVAL 1 DAY END
            AS t, \${price.rows} * 2 AS twice, CAST(\${params.since} AS DATE) + INTERVAL 1 MONTH AS later,
            \${params.since} < DATE '2026-02-01' AND substr(\${params.since}, 1, 4) = '2026' AS is_text`,
        }),
        node('right', 'condition', {
          sql: `SELECT CASE WHEN t = TIMESTAMPTZ '2026-01-01T00:00:00Z' AND twice = 3 AND later = DATE '2026-02-28' AND is_text
            THEN true END FROM input`,
        }),
      ],
      [['before.rows', 'right.input']],
      { since: { type: 'date', required: true } },
    ),
  );
  const run = await workflows.ran(id, { since: '2026-01-31' });
  expect(steps(run), JSON.stringify(run)).toEqual({
    at: 'succeeded',
    price: 'succeeded',
    before: 'succeeded',
    right: 'succeeded',
  });
});
