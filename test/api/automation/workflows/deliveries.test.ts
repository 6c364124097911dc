import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { verify } from '../../../../data/webhooks/signature.ts';
import { attemptDelivery } from '../../../../domain/publishing/deliveries/attempt.ts';
import { deliverySteps } from '../../../../domain/publishing/deliveries/retry.ts';
import { projectOf } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { answerWith, type HttpReceiver, startHttpReceiver } from '../../../support/http-receiver.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { attachedTable } from '../../../support/runs.ts';
import { startSmtpServer, type TestSmtpServer } from '../../../support/smtp-server.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const mail: TestSmtpServer = await startSmtpServer();
const workspace = useOwnWorkspace({}, () => ({
  SMTP_URL: mail.url,
  SMTP_FROM: 'reports@example.com',
  ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1/32',
}));
useWorker(workspace);

let client: TestClient;
let project: string;
let receiver: HttpReceiver;
let workflows: ReturnType<typeof workflowsOf>;
const url = '/v1/workflows';
const secret = 'a secret of sixteen letters';

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  workflows = workflowsOf(client, () => project);
  await attachedTable(client, project, 'orders', [
    { s_id: 1, amount: 2, country: 'AT' },
    { s_id: 2, amount: 40, country: 'D, "E"' },
  ]);
  receiver = await startHttpReceiver();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answers = [answerWith(200, 'ok')];
});
afterAll(async () => {
  await receiver.close();
  await mail.close();
});

const sales = node('sales', 'query', { sql: 'SELECT amount, country FROM orders ORDER BY amount' });
const deliveriesOf = async (workflowId: string, query = '') =>
  (await client.call('GET', `${url}/${workflowId}/deliveries${query}`)).body.items;
const contentOf = async (path: string) => {
  const files = (await client.call('GET', `/v1/projects/${project}/files?path=${path}`)).body.items;
  const file = files.find((one: { path: string }) => one.path === path);
  return (await client.call('GET', `/v1/projects/${project}/files/${file.id}/content`)).text;
};

test('rows and reports become files of the folder', async () => {
  const { id } = await workflows.active(
    graphOf(
      [
        sales,
        node('report', 'report', { title: 'Sales', content: '# Sales' }),
        node('rows', 'file_output', { path: 'sales-${params.day}.csv' }),
        node('json', 'file_output', { path: 'sales.json' }),
        node('text', 'file_output', { path: 'sales.md' }),
      ],
      [
        ['sales.rows', 'rows.input'],
        ['sales.rows', 'json.input'],
        ['report.report', 'text.input'],
      ],
      { day: { type: 'date', required: true } },
    ),
    { output_folder: 'out' },
  );
  const run = await workflows.ran(id, { day: '2026-11-22' });
  expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
  expect(run.output.fileIds).toHaveLength(3);
  expect(await contentOf('out/sales-2026-11-22.csv')).toBe('amount,country\r\n2,AT\r\n40,"D, ""E"""\r\n');
  expect(JSON.parse(await contentOf('out/sales.json'))).toEqual([
    { amount: 2, country: 'AT' },
    { amount: 40, country: 'D, "E"' },
  ]);
  expect(await contentOf('out/sales.md')).toContain('# Sales');
  const listed = await deliveriesOf(id, `?run_id=${run.id}&status=delivered`);
  expect(listed.map(({ kind, nodeId }: { kind: string; nodeId: string }) => [kind, nodeId]).sort()).toEqual([
    ['file', 'json'],
    ['file', 'rows'],
    ['file', 'text'],
  ]);
});

test('a file has the content type of its format, whatever the ending of its path', async () => {
  const { id } = await workflows.active(
    graphOf(
      [
        sales,
        node('report', 'report', { title: 'Sales', content: '# Sales' }),
        node('pdf', 'file_output', { path: 'monthly', format: 'pdf' }),
        node('docx', 'file_output', { path: 'monthly.pdf', format: 'docx' }),
        node('json', 'file_output', { path: 'monthly.txt', format: 'json' }),
      ],
      [
        ['report.report', 'pdf.input'],
        ['report.report', 'docx.input'],
        ['sales.rows', 'json.input'],
      ],
    ),
    { output_folder: 'typed' },
  );
  const run = await workflows.ran(id);
  expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
  const files = (await client.call('GET', `/v1/projects/${project}/files?limit=200`)).body.items;
  const typed = files.filter(({ path }: { path: string }) => path.startsWith('typed/'));
  expect(
    Object.fromEntries(typed.map(({ path, contentType }: Record<string, string>) => [path, contentType])),
  ).toEqual({
    'typed/monthly': 'application/pdf',
    'typed/monthly.pdf': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'typed/monthly.txt': 'application/json',
  });
});

test('a format that rows cannot have keeps a draft from activation', async () => {
  const draft = await workflows.draft(
    graphOf(
      [sales, node('pdf', 'file_output', { path: 'sales', format: 'pdf' })],
      [['sales.rows', 'pdf.input']],
    ),
  );
  const answer = await client.call('POST', `/v1/workflows/${draft.id}/activation`, {
    body: { expected_revision: draft.revision },
  });
  expect([answer.status, answer.body.detail]).toEqual([
    422,
    [expect.objectContaining({ loc: ['body', 'graph', 'nodes', 1, 'config', 'format'] })],
  ]);
});

test('a report goes out as a PDF by mail, to each once', async () => {
  const before = mail.mails.length;
  const { id } = await workflows.active(
    graphOf(
      [
        sales,
        node('report', 'report', { title: 'Sales', content: '# Sales' }),
        node('tell', 'email_delivery', {
          to: ['ada@example.com', 'ada@example.com', 'bob@example.com'],
          subject: 'Sales of ${params.country}',
          text: 'See below.',
          format: 'pdf',
        }),
      ],
      [
        ['report.report', 'tell.input'],
        ['sales.rows', 'tell.input'],
      ],
      { country: { type: 'string', required: true } },
    ),
  );
  const run = await workflows.ran(id, { country: 'AT' });
  expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
  const mails = mail.mails.slice(before);
  expect(mails.map(({ to }) => to?.[0]?.address).sort()).toEqual(['ada@example.com', 'bob@example.com']);
  expect(mails[0]).toMatchObject({ subject: 'Sales of AT', text: expect.stringContaining('See below.') });
  expect(mails[0]!.attachments.map(({ filename }) => filename).sort()).toEqual(['Sales.pdf', 'sales.csv']);
});

const hooked = (change: object = {}) =>
  workflows.active(
    graphOf(
      [
        sales,
        node('call', 'webhook_delivery', {
          url: receiver.url,
          secret,
          payload: { first: '${sales.rows}', text: 'Rows: ${sales.rows}' },
          ...change,
        }),
      ],
      [['sales.rows', 'call.input']],
    ),
  );

test('a webhook is signed, names its delivery, and holds what came in', async () => {
  const { id, graph } = await hooked();
  expect(graph.nodes[1].config.secret).toBe('********');
  const run = await workflows.ran(id);
  expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
  const [request] = receiver.received;
  const [delivery] = await deliveriesOf(id);
  expect(delivery).toMatchObject({ kind: 'webhook', target: receiver.url, attempts: 1, receipt: '200 ok' });
  expect(
    verify({
      secrets: [secret],
      timestamp: String(request!.headers['x-webhook-timestamp']),
      signature: String(request!.headers['x-webhook-signature']),
      body: request!.body,
      nowMs: Date.now(),
      toleranceMs: 300_000,
    }),
  ).toBe(true);
  expect(request!.headers['x-webhook-delivery']).toBe(delivery.id);
  const rows = [
    { amount: 2, country: 'AT' },
    { amount: 40, country: 'D, "E"' },
  ];
  expect(JSON.parse(request!.body.toString())).toEqual({
    deliveryId: delivery.id,
    workflowId: id,
    runId: run.id,
    nodeId: 'call',
    payload: { first: rows, text: `Rows: ${JSON.stringify(rows)}`, inputs: { sales: rows } },
  });
});

test("the query of a webhook's address is in no delivery, no run and no answer that repeats it", async () => {
  const token = 'a-secret/token';
  const query = new URLSearchParams({ token, n: '1' });
  const echo = `no ${query} of ${token}, ${encodeURIComponent(token)} here`;
  receiver.answers = [answerWith(404, echo), answerWith(200, echo)];
  const { id } = await hooked({ url: `${receiver.url}in?${query}` });
  const run = await workflows.ran(id);
  const [delivery] = await deliveriesOf(id);
  expect(delivery).toMatchObject({ target: `${receiver.url}in`, status: 'failed' });
  expect(delivery.error.message).toContain('404 no ******** of ********, ******** here');
  await client.call('POST', `${url}/${id}/deliveries/${delivery.id}/retry`);
  const [retried] = await eventually(
    () => deliveriesOf(id, '?status=delivered'),
    (found) => found.length === 1,
  );
  expect(retried.receipt).toBe('200 no ******** of ********, ******** here');
  const shown = JSON.stringify([run, delivery, retried]);
  expect(shown).not.toMatch(/a-secret/);
});

test('addresses may come from parameters, and what is none when it comes fails the run at once', async () => {
  const { id } = await workflows.active(
    graphOf(
      [
        node('call', 'webhook_delivery', { url: '${params.url}', secret }),
        node('mail', 'email_delivery', { to: ['${params.to}'], subject: 'Day' }),
      ],
      [['call.done', 'mail.start']],
      { url: { type: 'string', required: true }, to: { type: 'string', required: true } },
    ),
  );
  const good = await workflows.ran(id, { url: receiver.url, to: 'ada@example.com' });
  expect(good.status, JSON.stringify(good.error)).toBe('succeeded');
  expect(receiver.received).toHaveLength(1);
  for (const params of [
    { url: 'not an address ${', to: 'ada@example.com' },
    { url: receiver.url, to: 'nobody ${' },
  ]) {
    const bad = await workflows.ran(id, params);
    expect([bad.status, bad.error.code], JSON.stringify(bad.error)).toEqual(['failed', 'invalid_request']);
  }
});

test('a refusal for good fails the run, and is delivered by hand', async () => {
  receiver.answers = [answerWith(404, 'Nobody\u0000 here'), answerWith(200, 'now')];
  const { id } = await hooked();
  const run = await workflows.ran(id);
  expect(run).toMatchObject({ status: 'failed', error: { nodeId: 'call', code: 'delivery_refused' } });
  const [failed] = await deliveriesOf(id, '?status=failed');
  expect(failed.error.message).toContain('answered 404 Nobody here.');
  const retry = () => client.call('POST', `${url}/${id}/deliveries/${failed.id}/retry`);
  const answers = await Promise.all([retry(), retry()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  const shown = await eventually(
    async () => (await client.call('GET', `${url}/${id}/deliveries/${failed.id}`)).body.data,
    ({ status }) => status !== 'pending',
  );
  expect(shown).toMatchObject({ status: 'delivered', attempts: 1, receipt: '200 now' });
  expect(receiver.received.map(({ headers }) => headers['x-webhook-delivery'])).toEqual([
    failed.id,
    failed.id,
  ]);
  expect((await retry()).body.detail).toContain('nothing to retry');
  // The resumed run finds it delivered.
  expect((await client.call('POST', `${url}/${id}/runs/${run.id}/resume`)).status).toBe(202);
  expect((await workflows.ended(id, run.id)).status).toBe('succeeded');
  expect(receiver.received).toHaveLength(2);
});

/** One delivery of a run whose process is no longer consulted: its attempts are made here. */
async function planned(
  kind: 'webhook' | 'slack',
): Promise<{ id: string; attempt(): Promise<object>; row(): Promise<Row> }> {
  receiver.answers = [answerWith(418, 'first')];
  const { id: workflowId } =
    kind === 'webhook'
      ? await hooked()
      : await workflows.active(
          graphOf([node('say', 'slack_delivery', { webhook_url: receiver.url, text: 'Hello' })]),
        );
  await workflows.ran(workflowId);
  const [{ id }] = await deliveriesOf(workflowId);
  receiver.received.length = 0;
  const { organizationId } = client;
  const change = (set: object) =>
    inOrganization(workspace.deps.db, organizationId, (db) =>
      db
        .updateTable('deliveries')
        .set(set)
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
  await change({ status: 'pending', attempts: 0, error: null });
  return {
    id,
    attempt: () => attemptDelivery(workspace.activityDeps, { organizationId, deliveryId: id }),
    row: () => change({ node_id: kind === 'webhook' ? 'call' : 'say' }),
  };
}
type Row = { status: string; error: unknown; attempts: number };

const cut = (response: { destroy(): unknown }) => response.destroy();
const cases: [string, 'webhook' | 'slack', HttpReceiver['answers'][number], object][] = [
  ['webhook', 'webhook', answerWith(503, 'later'), { status: 'pending', retryAfterMs: 15_000 }],
  [
    'webhook',
    'webhook',
    answerWith(429, '', { 'retry-after': '120' }),
    { status: 'pending', retryAfterMs: 120_000 },
  ],
  ['webhook', 'webhook', answerWith(302, '', { location: '/other' }), { status: 'failed' }],
  ['webhook', 'webhook', cut, { status: 'pending', retryAfterMs: 15_000 }],
  ['Slack', 'slack', answerWith(200, 'ok'), { status: 'delivered' }],
  [
    'Slack',
    'slack',
    answerWith(429, '', { 'retry-after': '60' }),
    { status: 'pending', retryAfterMs: 60_000 },
  ],
  ['Slack', 'slack', answerWith(400, 'no_text'), { status: 'failed' }],
  ['Slack', 'slack', cut, { status: 'uncertain' }],
];
test.each(cases)('what %s answers decides (%#)', async (_name, kind, answer, outcome) => {
  const { attempt, row } = await planned(kind);
  receiver.answers = [answer];
  expect(await attempt()).toEqual(outcome);
  expect((await row()).status).toBe((outcome as Row).status);
  expect(receiver.received).toHaveLength(1);
});

test('an address within the network of the service is not reached', async () => {
  const { id } = await hooked({ url: 'http://127.0.0.2:80/hooks' });
  const run = await workflows.ran(id);
  expect(run.error).toMatchObject({ code: 'delivery_refused', nodeId: 'call' });
  expect(run.error.message).toContain('ALLOWED_PRIVATE_ADDRESSES');
});

test('where nobody listens nothing was sent, and it is tried again', async () => {
  for (const kind of ['webhook', 'slack'] as const) {
    const { attempt } = await planned(kind);
    const { url: address } = receiver;
    await receiver.close();
    expect(await attempt()).toMatchObject({ status: 'pending' });
    receiver = await startHttpReceiver();
    expect(receiver.url).not.toBe(address);
  }
});

test('an attempt that broke off may have said it in Slack, and is not repeated by itself', async () => {
  const { attempt, id } = await planned('slack');
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db.updateTable('deliveries').set({ status: 'sending' }).where('id', '=', id).execute(),
  );
  expect(await attempt()).toEqual({ status: 'uncertain' });
  expect(receiver.received).toEqual([]);
});

test('a delivery by hand whose process is gone is seen to', async () => {
  const { id } = await planned('webhook');
  receiver.answers = [answerWith(200, 'there')];
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .updateTable('deliveries')
      .set({ retried_at: new Date(0) })
      .where('id', '=', id)
      .execute(),
  );
  await reconcile(workspace, deliverySteps(workspace.activityDeps, 0));
  await eventually(
    async () => receiver.received.length,
    (length) => length === 1,
  );
});

test('the secrets of a node are in no row of a delivery, and in no answer', async () => {
  const { id } = await planned('slack');
  const row = await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  );
  expect(JSON.stringify(row)).not.toContain('/hooks/sales');
  expect(row.target).toBe(new URL(receiver.url).host);
});
