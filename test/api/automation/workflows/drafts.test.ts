import { beforeAll, expect, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { writtenPlaybook } from '../../../support/schedules.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const url = '/v1/workflows';

let client: TestClient;
let project: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
});

const daily = { type: 'daily', zone_id: 'Europe/Berlin', time_of_day: '08:00' };
const node = { id: 'sales', type: 'query', name: 'Sales', config: { sql: 'SELECT 1' } };
const graph = { version: 1, parameters: {}, nodes: [node], edges: [] };
const post = (change: object = {}) =>
  client.call('POST', url, { body: { project_id: project, title: 'Sales', graph, ...change } });
const made = async (change: object = {}) => {
  const answer = await post(change);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
};
const put = (id: string, change: object = {}) =>
  client.call('PUT', `${url}/${id}`, { body: { title: 'Sales', graph, ...change } });

test('a project that is not there is a 404', async () => {
  const theirs = await projectOf(await workspace.organization());
  for (const project_id of [theirs, 'prj_01kahz3v6dfyvb1s8m3h9q2w4x', 'nothing'])
    expect((await post({ project_id })).body).toMatchObject({ status: 404, code: 'not_found' });
});

test('a draft is kept as it was written', async () => {
  const triggers = [{ type: 'schedule', label: 'Mornings', schedule: daily, params: { a: 1 } }];
  const workflow = await made({ description: 'Every day', output_folder: 'out', triggers });
  expect(workflow).toEqual({
    id: expect.stringMatching(/^wfl_/),
    projectId: project,
    title: 'Sales',
    description: 'Every day',
    ownerUserId: client.clientId,
    status: 'draft',
    executionFormat: 'typed_graph',
    outputFolder: 'out',
    revision: 1,
    activeVersionId: '',
    graph,
    triggers: [
      {
        id: expect.stringMatching(/^wtr_/),
        type: 'schedule',
        label: 'Mornings',
        enabled: true,
        params: { a: 1 },
        schedule: expect.objectContaining({ type: 'daily', zoneId: 'Europe/Berlin', interval: null }),
        config: null,
      },
    ],
    steps: [],
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect((await client.call('GET', `${url}/${workflow.id}`)).body.data).toEqual(workflow);
  const { items } = (await client.call('GET', `${url}?project_id=${project}&status=draft&limit=1`)).body;
  expect(items).toEqual([workflow]);
});

test('a workflow is its owner’s: to another client of the organization there is none', async () => {
  const { id } = await made();
  const other = await workspace.organization();
  expect((await other.call('GET', `${url}/${id}`)).status).toBe(404);
  const { rows } = await workspace.deps.lake.catalogPool.query(
    `UPDATE workflows SET owner_id = 'cli_another' WHERE id = $1 RETURNING id`,
    [id],
  );
  expect(rows).toHaveLength(1);
  for (const [method, path] of [
    ['GET', ''],
    ['PUT', ''],
    ['POST', '/archive'],
    ['POST', '/validate'],
  ] as const) {
    const body = method === 'PUT' ? { title: 'Mine', graph } : undefined;
    const answer = await client.call(method, `${url}/${id}${path}`, body === undefined ? {} : { body });
    expect([answer.status, answer.body.code], path).toEqual([404, 'not_found']);
  }
  const { items } = (await client.call('GET', `${url}?limit=200`)).body;
  expect(items.map((item: { id: string }) => item.id)).not.toContain(id);
});

test('what was read can be sent back: triggers keep their ids, and revisions are held', async () => {
  const workflow = await made({
    triggers: [
      { type: 'schedule', schedule: daily },
      { type: 'data_event', config: { table_ids: ['tbl_1'], own_writes: true } },
      { type: 'api' },
    ],
  });
  expect(workflow.triggers[1].config).toEqual({
    ...{ tableIds: ['tbl_1'], windowSeconds: 10, ownWrites: true },
    ...{ table_ids: ['tbl_1'], window_seconds: 10, own_writes: true },
  });
  const { title, description, graph: sent, triggers } = workflow;
  const again = await put(workflow.id, { title, description, graph: sent, triggers, expected_revision: 1 });
  expect(again.status, again.text).toBe(200);
  expect(again.body.data).toEqual({ ...workflow, revision: 2, updatedAt: expect.any(String) });
  const stale = await put(workflow.id, { expected_revision: 1 });
  expect(stale.body).toMatchObject({ code: 'revision_conflict', current_revision: 2 });
  const fewer = await put(workflow.id, { triggers: [triggers[2], { type: 'webhook', label: 'New' }] });
  expect(fewer.body.data.triggers.map(({ id }: { id: string }) => id)).toEqual([
    triggers[2].id,
    expect.stringMatching(/^wtr_/),
  ]);
});

test('a config in both spellings must be the same in both', async () => {
  const event = (config: object) => post({ triggers: [{ type: 'data_event', config }] });
  const same = await event({ table_ids: ['tbl_1'], tableIds: ['tbl_1'], ownWrites: true });
  expect(same.body.data.triggers[0].config).toMatchObject({ table_ids: ['tbl_1'], own_writes: true });
  const two = await event({ table_ids: ['tbl_1'], tableIds: ['tbl_2'] });
  expect(two.body.detail).toMatchObject([
    { loc: ['body', 'triggers', 0, 'config', 'tableIds'], type: 'value_error' },
  ]);
});

test.each([
  ['a trigger that it has not', [{ id: 'wtr_x', type: 'api' }], ['triggers', 0, 'id'], 'value_error'],
  ['a schedule without a cadence', [{ type: 'schedule' }], ['triggers', 0, 'schedule'], 'missing'],
  [
    'a cadence of an api trigger',
    [{ type: 'api', schedule: daily }],
    ['triggers', 0, 'schedule'],
    'extra_forbidden',
  ],
  [
    'a cadence that is read only',
    [{ type: 'schedule', schedule: { type: 'cron', zone_id: 'UTC' } }],
    ['triggers', 0, 'schedule', 'type'],
    'enum',
  ],
  [
    'a data event of no table',
    [{ type: 'data_event', config: { table_ids: [] } }],
    ['triggers', 0, 'config', 'table_ids'],
    'too_short',
  ],
  ['an unknown type', [{ type: 'email' }], ['triggers', 0, 'type'], 'enum'],
])('%s is refused at its place', async (_what, triggers, loc, type) => {
  const { id } = await made();
  const { status, body } = await put(id, { triggers });
  expect(status).toBe(422);
  expect(body.detail).toContainEqual({ loc: ['body', ...loc], type, msg: expect.any(String) });
});

test('a new cadence of a trigger recurs every one period', async () => {
  const refused = await post({ triggers: [{ type: 'schedule', schedule: { ...daily, interval: 2 } }] });
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_cadence']);
});

test('validate tells every fault of a draft, and nothing of one that holds together', async () => {
  const playbook = await writtenPlaybook(client, project, {
    parameters: { since: { type: 'date', required: true } },
  });
  const validated = async (change: object) => {
    const { id } = await made(change);
    return (await client.call('POST', `${url}/${id}/validate`)).body.data;
  };
  expect(await validated({})).toEqual({ valid: true, faults: [] });
  expect(await validated({ graph: {} })).toMatchObject({ valid: false });
  const runs = (config: object) => ({ graph: { ...graph, nodes: [{ ...node, type: 'playbook', config }] } });
  const at = ['body', 'graph', 'nodes', 0, 'config'];
  expect((await validated(runs({ playbook_id: 'pbk_x' }))).faults).toMatchObject([
    { loc: [...at, 'playbook_id'] },
  ]);
  expect((await validated(runs({ playbook_id: playbook }))).faults).toMatchObject([
    { loc: [...at, 'params', 'since'], type: 'missing' },
  ]);
  const open = {
    ...runs({ playbook_id: playbook, params: { since: '${params.day}' } }).graph,
    parameters: { day: { type: 'date', required: true } },
  };
  expect(await validated({ graph: open })).toEqual({ valid: true, faults: [] });
  expect(
    (await validated({ graph: open, triggers: [{ type: 'schedule', schedule: daily }] })).faults,
  ).toMatchObject([{ loc: ['body', 'triggers', 0, 'params', 'day'], type: 'missing' }]);
});

test('faults of the graph hide none of what it names, and placeholders may stand in any config', async () => {
  const validated = async (change: object) => {
    const { id } = await made({ triggers: [{ type: 'schedule', schedule: daily }], ...change });
    return (await client.call('POST', `${url}/${id}/validate`)).body.data;
  };
  const nodes = [
    { ...node, id: 'one', config: {} },
    { id: 'two', name: 'Two', type: 'playbook', config: { playbook_id: 'pbk_x' } },
    { id: 'three', name: 'Three', type: 'snapshot', config: { dataset_id: 'dst_x' } },
  ];
  const edges = [
    { from: 'one.done', to: 'two.start' },
    { from: 'two.done', to: 'one.start' },
  ];
  const parameters = { day: { type: 'date', required: true } };
  const told = [
    ['body', 'graph', 'nodes', 0, 'config', 'sql'],
    ['body', 'graph', 'nodes', 0],
    ['body', 'graph', 'nodes', 1, 'config', 'playbook_id'],
    ['body', 'graph', 'nodes', 2, 'config', 'dataset_id'],
    ['body', 'triggers', 0, 'params', 'day'],
  ];
  const locs = ({ faults }: { faults: { loc: unknown }[] }) => faults.map(({ loc }) => loc);
  expect(locs(await validated({ graph: { version: 1, parameters, nodes, edges } }))).toEqual(told);
  // What is wrong elsewhere in the document hides no node.
  const wrongForm = { version: 1, parameters, nodes, edges: [{ from: 'one.done' }] };
  expect(locs(await validated({ graph: wrongForm }))).toEqual([
    ['body', 'graph', 'edges', 0, 'to'],
    ...told.filter((loc) => loc.length > 4),
  ]);
  const nameless = { version: 1, parameters, nodes: [{ ...nodes[1], name: '' }], edges: [] };
  expect(locs(await validated({ graph: nameless }))).toEqual([
    ['body', 'graph', 'nodes', 0, 'name'],
    ['body', 'graph', 'nodes', 0, 'config', 'playbook_id'],
    ['body', 'triggers', 0, 'params', 'day'],
  ]);
  const open = [
    { id: 'ask', name: 'Ask', type: 'playbook', config: { playbook_id: '${params.playbook}' } },
    {
      ...{ id: 'tell', name: 'Tell', type: 'email_delivery' },
      config: { to: ['${params.to}', 'ada@example.com'], subject: 'Day' },
    },
    {
      ...{ id: 'call', name: 'Call', type: 'webhook_delivery' },
      config: { url: 'https://${params.to}/', secret: 'a secret of sixteen letters' },
    },
  ];
  const texts = { playbook: { type: 'string', default: 'p' }, to: { type: 'string', default: 't' } };
  expect(await validated({ graph: { version: 1, parameters: texts, nodes: open, edges: [] } })).toMatchObject(
    { valid: true },
  );
  const closed = open.map((one) => ({
    ...one,
    config: { ...one.config, ...(one.id === 'tell' ? { to: ['nobody'] } : {}) },
  }));
  expect(
    locs(await validated({ graph: { version: 1, parameters: texts, nodes: closed, edges: [] } })),
  ).toEqual([['body', 'graph', 'nodes', 1, 'config', 'to', 0]]);
});

test.each([
  [
    "SELECT * FROM range(9) AS t (n) WHERE DATE '2026-01-01' >= CAST(${params.day} AS DATE) LIMIT ${params.most}",
    undefined,
  ],
  ['SELECT * FROM range(9) AS t (n) WHERE n BETWEEN ${params.most} AND 7', undefined],
  ['SELECT * FROM made_later USING SAMPLE ${params.most} ROWS', 'Parser Error'],
  ['SELECT * FROM made_later WHERE day >= DATE ${params.day}', 'A placeholder is a value'],
  ['SELECT * FROM ${params.day}', 'A placeholder is a value'],
  ["SELECT E'abc'\n${params.day} AS a", 'A placeholder is a value'],
  ['SELECT $é$ ${params.day} $é$ AS a', 'is inside quotes'],
  ['SHOW TABLES', undefined],
  ['SELECT 1 FROM', 'Parser Error'],
  ['DELETE FROM orders', 'read-only'],
  ['SELECT 1; SELECT 2', 'exactly one'],
  ["SELECT * FROM read_text('/etc/passwd')", 'read_text'],
  ['SELECT * FROM information_schema.tables', 'information_schema.tables'],
  ['SELECT getenv(${params.day}) AS a', 'getenv'],
  ['SELECT * FROM duckdb_secrets()', 'duckdb_secrets'],
])('a statement is read as a query is: %s', async (sql, said) => {
  const parameters = { day: { type: 'date', required: true }, most: { type: 'number', required: true } };
  const query = { ...node, type: 'query', config: { sql } };
  const written = await made({ graph: { ...graph, parameters, nodes: [node, query].map(numbered) } });
  const validated = (await client.call('POST', `${url}/${written.id}/validate`)).body.data;
  const fault = {
    loc: ['body', 'graph', 'nodes', 1, 'config', 'sql'],
    type: 'value_error',
    msg: expect.stringContaining(said ?? ''),
  };
  expect(validated.faults).toEqual(said === undefined ? [] : [fault]);
  const answer = await client.call('POST', `${url}/${written.id}/activation`, {
    body: { expected_revision: written.revision },
  });
  expect(answer.status, answer.text).toBe(said === undefined ? 200 : 422);
  if (said !== undefined) expect(answer.body.detail).toEqual([fault]);
});

const numbered = (one: object, index: number) => ({ ...one, id: `n${index}` });

test('secrets of nodes are in no answer and not in clear in the store', async () => {
  const hook = (secret: string) => ({
    graph: {
      ...graph,
      nodes: [
        {
          id: 'hook',
          type: 'webhook_delivery',
          name: 'Hook',
          config: { url: 'https://example.com/x', secret },
        },
      ],
    },
  });
  const answer = await post(hook('a very secret word'));
  expect(answer.text).not.toContain('a very secret word');
  const { id, graph: shown } = answer.body.data;
  expect(shown.nodes[0].config.secret).toBe('********');
  const validate = async () => (await client.call('POST', `${url}/${id}/validate`)).body.data;
  expect(await validate()).toEqual({ valid: true, faults: [] });
  expect((await put(id, { graph: shown })).status).toBe(200);
  expect(await validate()).toEqual({ valid: true, faults: [] });
  const { rows } = await workspace.deps.lake.catalogPool.query(
    'SELECT w::text AS row FROM workflows w WHERE id = $1',
    [id],
  );
  expect(rows[0].row).not.toContain('a very secret word');
});

test('an archived workflow is read, and not changed', async () => {
  const { id } = await made();
  expect((await client.call('POST', `${url}/${id}/archive`)).body.data).toMatchObject({
    status: 'archived',
    revision: 2,
  });
  expect((await client.call('POST', `${url}/${id}/archive`)).body.data).toMatchObject({
    status: 'archived',
    revision: 2,
  });
  expect((await put(id)).body.code).toBe('conflict');
  expect((await client.call('GET', `${url}/${id}`)).status).toBe(200);
});

test('the types of nodes are listed with their ports and the schema of their config', async () => {
  const { items } = (await client.call('GET', `${url}/node-types`)).body;
  expect(items.map(({ type }: { type: string }) => type)).toEqual([
    'query',
    'playbook',
    'report',
    'condition',
    'wait',
    'approval',
    'file_output',
    'email_delivery',
    'slack_delivery',
    'webhook_delivery',
    'snapshot',
    'materialize',
    'verification',
    'dashboard',
  ]);
  const condition = items.find(({ type }: { type: string }) => type === 'condition');
  expect(condition).toMatchObject({
    config: { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] },
    inputs: [{ name: 'input', types: ['rows', 'value'], required: true, many: false }],
    outputs: [
      { name: 'yes', type: 'value' },
      { name: 'no', type: 'value' },
    ],
  });
});

test('the same request under one key makes one workflow with its triggers', async () => {
  const headers = { 'idempotency-key': 'one workflow' };
  const body = {
    project_id: project,
    title: 'Once',
    graph,
    triggers: [{ type: 'api' }, { type: 'webhook' }],
  };
  const first = await client.call('POST', url, { body, headers });
  const again = await client.call('POST', url, { body, headers });
  expect(again.text).toBe(first.text);
  expect(first.body.data.triggers).toHaveLength(2);
});

test('at the limit of workflows, a creation repeated after a crash is the one that was made', async () => {
  const run = (statement: string, values: unknown[] = []) =>
    workspace.deps.lake.catalogPool.query(statement, values);
  const other = await workspace.organization();
  const { id: project_id } = (await other.call('POST', '/v1/projects', { body: { name: 'Full' } })).body.data;
  const create = (key?: string) =>
    other.call('POST', url, {
      body: { project_id, title: 'Last', graph },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const first = (await create()).body.data;
  await run(
    `INSERT INTO workflows (organization_id, id, project_id, owner_id, title, status, execution_format, sealed_secrets)
     SELECT organization_id, 'wfl_' || n, project_id, owner_id, 'filler', 'draft', execution_format, sealed_secrets
     FROM workflows, generate_series(2, 999) AS n WHERE id = $1`,
    [first.id],
  );
  const made = await create('the last workflow');
  expect(made.status).toBe(201);
  await run('UPDATE idempotency_keys SET response = NULL, response_status = NULL, lease_until = now()');
  const repeated = await create('the last workflow');
  expect([repeated.status, repeated.body.data.id]).toEqual([201, made.body.data.id]);
  expect((await create()).status).toBe(409);
});
