import { createHmac } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { projectOf } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Data = any;

const workspace = useWorkspace();
const url = '/v1/workflows';

let client: TestClient;
let project: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
});

const graph = {
  version: 1,
  parameters: {
    day: { type: 'date', required: true },
    top: { type: 'number', default: 3 },
  },
  nodes: [{ id: 'one', type: 'query', name: 'One', config: { sql: 'SELECT 1 AS one' } }],
  edges: [],
};

async function drafted(triggers: object[] = [{ type: 'webhook' }]): Promise<Data> {
  const body = { project_id: project, title: 'Called', graph, triggers };
  const answer = await client.call('POST', url, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

/** An active workflow with one webhook, and how to call it. */
async function active(trigger: object = {}) {
  const workflow = await drafted([{ type: 'webhook', ...trigger }]);
  const activated = await client.call('POST', `${url}/${workflow.id}/activation`, {
    body: { expected_revision: 1 },
  });
  expect(activated.status, activated.text).toBe(200);
  const [{ id: triggerId, secret, config }] = workflow.triggers;
  return { id: workflow.id as string, triggerId, secret, path: pathOf(config.hookUrl) };
}

const pathOf = (hookUrl: string) => new URL(hookUrl).pathname;
const nowSeconds = () => Math.floor(Date.now() / 1_000);

interface Change {
  at?: number | string;
  signature?: string;
  headers?: Record<string, string>;
}

function call(
  path: string,
  secret: string,
  body: unknown,
  { at = nowSeconds(), signature, headers }: Change = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const signed = `v1=${createHmac('sha256', secret).update(`${at}.${text}`).digest('hex')}`;
  return workspace.call('POST', path, {
    raw: { text, contentType: 'application/json' },
    headers: {
      'x-webhook-timestamp': String(at),
      'x-webhook-signature': signature ?? signed,
      ...headers,
    },
  });
}

const runsOf = (id: string) =>
  inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db.selectFrom('workflow_runs').selectAll().where('workflow_id', '=', id).orderBy('id').execute(),
  );

test('the address of a webhook is always shown, its secret once', async () => {
  const workflow = await drafted([{ type: 'webhook' }, { type: 'api' }]);
  const [hook, api] = workflow.triggers;
  expect(hook.config).toEqual({ hookUrl: expect.stringMatching(/^http:\/\/[^/]+\/v1\/hooks\/[\w-]{43}$/) });
  expect(hook.secret).toMatch(/^whsec_[\w-]{43}$/);
  expect(api).not.toHaveProperty('secret');
  const shown = (await client.call('GET', `${url}/${workflow.id}`)).body.data;
  expect(shown.triggers[0].config).toEqual(hook.config);
  expect(shown.triggers[0]).not.toHaveProperty('secret');
  const { rows } = await workspace.deps.lake.catalogPool.query(
    'SELECT h::text AS row FROM workflow_hooks h WHERE trigger_id = $1',
    [hook.id],
  );
  expect(rows[0].row).not.toContain(hook.secret);
});

test('a draft that is written again keeps addresses, and shows the secrets of new webhooks alone', async () => {
  const workflow = await drafted();
  const { title, triggers } = (await client.call('GET', `${url}/${workflow.id}`)).body.data;
  const body = { title, graph, triggers: [...triggers, { type: 'webhook', label: 'Second' }] };
  const written = await client.call('PUT', `${url}/${workflow.id}`, { body });
  expect(written.status, written.text).toBe(200);
  const [first, second] = written.body.data.triggers;
  expect(first).toEqual(triggers[0]);
  expect(second.secret).toMatch(/^whsec_/);
  expect(second.config.hookUrl).not.toBe(first.config.hookUrl);
  const refused = await client.call('PUT', `${url}/${workflow.id}`, {
    body: { title, graph, triggers: [{ type: 'webhook', config: { url: 'https://example.com' } }] },
  });
  expect(refused.body.detail).toMatchObject([
    { loc: ['body', 'triggers', 0, 'config', 'url'], type: 'extra_forbidden' },
  ]);
});

test('a trigger is sent back as it was answered, and nobody chooses a secret', async () => {
  const workflow = await drafted();
  const [hook] = workflow.triggers;
  const put = (triggers: object[]) =>
    client.call('PUT', `${url}/${workflow.id}`, { body: { title: 'Hooked', graph, triggers } });
  const written = await put([{ ...hook, label: 'Renamed' }]);
  expect(written.status, written.text).toBe(200);
  const { secret: _secret, ...shown } = hook;
  expect(written.body.data.triggers).toEqual([{ ...shown, label: 'Renamed' }]);
  for (const trigger of [
    { type: 'webhook', secret: hook.secret },
    { ...hook, type: 'api', config: null },
  ])
    expect((await put([trigger])).body.detail).toMatchObject([
      { loc: ['body', 'triggers', 0, 'secret'], type: 'extra_forbidden' },
    ]);
});

test('a creation repeated under its key shows the same secret', async () => {
  const headers = { 'idempotency-key': 'one hook' };
  const body = { project_id: project, title: 'Once', graph, triggers: [{ type: 'webhook' }] };
  const first = await client.call('POST', url, { body, headers });
  const again = await client.call('POST', url, { body, headers });
  expect(first.body.data.triggers[0].secret).toMatch(/^whsec_/);
  expect(again.text).toBe(first.text);
  // As if the process had died before it stored its answer.
  await workspace.deps.lake.catalogPool.query(
    'UPDATE idempotency_keys SET response = NULL, response_status = NULL, lease_until = now()',
  );
  const made = await client.call('POST', url, { body, headers });
  expect([made.status, made.text]).toEqual([first.status, first.text]);
});

test('another secret holds from then on, and the one before for an hour more', async () => {
  const hook = await active();
  const rotate = () => client.call('POST', `${url}/${hook.id}/triggers/${hook.triggerId}/secret`);
  const rotated = await rotate();
  expect([rotated.status, rotated.headers['cache-control']]).toEqual([200, 'no-store']);
  const { secret } = rotated.body.data;
  expect(secret).not.toBe(hook.secret);
  expect((await call(hook.path, secret, { day: '2026-11-01' })).status).toBe(202);
  expect((await call(hook.path, hook.secret, { day: '2026-11-02' })).status).toBe(202);
  await workspace.deps.lake.catalogPool.query(
    "UPDATE workflow_hooks SET previous_until = now() - interval '1 second' WHERE trigger_id = $1",
    [hook.triggerId],
  );
  expect((await call(hook.path, hook.secret, { day: '2026-11-03' })).status).toBe(401);
  expect((await call(hook.path, secret, { day: '2026-11-03' })).status).toBe(202);
});

test('only a webhook of one’s own has a secret to replace', async () => {
  const workflow = await drafted([{ type: 'api' }, { type: 'webhook' }]);
  const [api, hook] = workflow.triggers;
  const refused = await client.call('POST', `${url}/${workflow.id}/triggers/${api.id}/secret`);
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  const other = await drafted();
  const foreign = await client.call('POST', `${url}/${other.id}/triggers/${hook.id}/secret`);
  expect(foreign.status).toBe(404);
});

test('a call starts a run with its body over the params of the trigger', async () => {
  const hook = await active({ params: { day: '2026-11-01', top: 5 } });
  const answer = await call(hook.path, hook.secret, { day: '2026-11-22' });
  expect([answer.status, answer.body]).toEqual([202, { data: { runId: expect.stringMatching(/^wfr_/) } }]);
  const [run] = await runsOf(hook.id);
  expect(run).toMatchObject({ id: answer.body.data.runId, params: { day: '2026-11-22', top: 5 } });
  const shown = await client.call('GET', `/v1/projects/${project}/runs/${run!.id}`);
  expect(shown.body.data).toMatchObject({ trigger: { type: 'webhook' } });
});

test('the same call again, also at once, is the same run', async () => {
  const hook = await active();
  const at = nowSeconds();
  const body = { day: '2026-11-22' };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call(hook.path, hook.secret, body, { at })),
  );
  answers.push(await call(hook.path, hook.secret, body, { at }));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]!.status).toBe(202);
  expect(await runsOf(hook.id)).toHaveLength(1);
  await call(hook.path, hook.secret, body, { at: at - 1 });
  expect(await runsOf(hook.id)).toHaveLength(2);
  await client.call('POST', `${url}/${hook.id}/pause`);
  expect((await call(hook.path, hook.secret, body, { at })).text).toBe(answers[0]!.text);
  const late = await call(hook.path, hook.secret, body, { at: at - 2 });
  expect([late.status, late.body.code]).toEqual([409, 'conflict']);
});

test('a call finds the run of another that commits while it looks', async () => {
  const hook = await active();
  const at = nowSeconds();
  const body = { day: '2026-11-22' };
  const first = await call(hook.path, hook.secret, body, { at });
  const { runId } = first.body.data;
  const other = await workspace.deps.lake.catalogPool.connect();
  try {
    await other.query(`CREATE TEMP TABLE kept AS SELECT * FROM runs WHERE id = '${runId}'`);
    await other.query(`CREATE TEMP TABLE kept_graph AS SELECT * FROM workflow_runs WHERE id = '${runId}'`);
    await other.query(`DELETE FROM runs WHERE id = '${runId}'`);
    await other.query('BEGIN');
    await other.query('INSERT INTO runs SELECT * FROM kept');
    await other.query('INSERT INTO workflow_runs SELECT * FROM kept_graph');
    await other.query('LOCK TABLE workflow_runs IN ACCESS EXCLUSIVE MODE');
    const second = call(hook.path, hook.secret, body, { at });
    const waiting = "SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted";
    await eventually(
      () => other.query(waiting),
      ({ rowCount }) => rowCount === 1,
    );
    await other.query('COMMIT');
    expect(await second).toMatchObject({ status: 202, text: first.text });
  } finally {
    other.release(true);
  }
});

test('what is forged, late or early is refused, and starts nothing', async () => {
  const hook = await active();
  const body = { day: '2026-11-22' };
  const refusals = await Promise.all([
    call(hook.path, 'whsec_another', body),
    call(hook.path, hook.secret, body, { signature: '' }),
    call(hook.path, hook.secret, body, { signature: 'v1=00' }),
    call(hook.path, hook.secret, body, { at: nowSeconds() - 301 }),
    call(hook.path, hook.secret, body, { at: nowSeconds() + 302 }),
    call(hook.path, hook.secret, body, { at: 'yesterday' }),
    call(hook.path, hook.secret, body, { at: `${nowSeconds()}.5` }),
    call(hook.path, hook.secret, body, { headers: { 'x-webhook-timestamp': String(nowSeconds() - 1) } }),
    workspace.call('POST', hook.path, { body }),
  ]);
  for (const { status, body: problem } of refusals)
    expect([status, problem.code]).toEqual([401, 'invalid_token']);
  const unknown = await call('/v1/hooks/nobody', hook.secret, body);
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  expect(await runsOf(hook.id)).toEqual([]);
});

test('a body that is no object, or fits no parameters, is told at its place', async () => {
  const hook = await active();
  const faults = async (body: unknown) => {
    const answer = await call(hook.path, hook.secret, body);
    expect(answer.status, answer.text).toBe(422);
    return answer.body.detail.map(({ loc, type }: Data) => [loc, type]);
  };
  expect(await faults([1])).toEqual([[['body'], 'dict_type']]);
  expect(await faults('')).toEqual([[['body'], 'missing']]);
  expect(await faults('{"day": ')).toMatchObject([[expect.anything(), 'json_invalid']]);
  expect(await faults({ top: 1 })).toEqual([[['body', 'day'], 'missing']]);
  expect(await faults({ day: 'soon', other: 1 })).toEqual([
    [['body', 'other'], 'extra_forbidden'],
    [['body', 'day'], 'value_error'],
  ]);
  expect(await runsOf(hook.id)).toEqual([]);
  const large = await call(hook.path, hook.secret, { day: 'x'.repeat(262_144) });
  expect([large.status, large.body.code]).toEqual([400, 'body_too_large']);
});

test('a draft that has lost its webhook stops no calls until it is activated', async () => {
  const hook = await active();
  const { revision } = (await client.call('GET', `${url}/${hook.id}`)).body.data;
  const written = await client.call('PUT', `${url}/${hook.id}`, { body: { title: 'Called', graph } });
  expect(written.body.data.triggers).toEqual([]);
  expect((await call(hook.path, hook.secret, { day: '2026-11-22' })).status).toBe(202);
  await client.call('POST', `${url}/${hook.id}/activation`, { body: { expected_revision: revision + 1 } });
  const after = await call(hook.path, hook.secret, { day: '2026-11-23' });
  expect([after.status, after.body.code]).toEqual([409, 'conflict']);
});
