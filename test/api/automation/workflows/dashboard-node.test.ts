import { afterAll, beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { advanceNode } from '../../../../domain/automation/workflows/runs/advance.ts';
import { projectOf } from '../../../support/conversations.ts';
import { dashboardsOf } from '../../../support/dashboards.ts';
import { readPdf } from '../../../support/documents.ts';
import { madeTable, only, replaceGrants } from '../../../support/grants.ts';
import { personOf } from '../../../support/people.ts';
import { attachedTable } from '../../../support/runs.ts';
import { startSmtpServer, type TestSmtpServer } from '../../../support/smtp-server.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, steps, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const mail: TestSmtpServer = await startSmtpServer();
const workspace = useOwnWorkspace({}, () => ({ SMTP_URL: mail.url, SMTP_FROM: 'reports@example.com' }));
useWorker(workspace);

const hostile = '<script>alert(1)</script> & "Faro"';
let client: TestClient;
let project: string;
let workflows: ReturnType<typeof workflowsOf>;
let ordersId: string;
/** With a chart, a table, a number and a text; its filter is a city. */
let board: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  workflows = workflowsOf(client, () => project);
  ordersId = await attachedTable(client, project, 'orders', [
    { s_id: 1, amount: 2, city: 'Porto' },
    { s_id: 2, amount: 40, city: hostile },
  ]);
  const made = dashboardsOf(client, () => project);
  const rows = await made.query('SELECT city, sum(amount) AS total FROM orders GROUP BY ALL ORDER BY ALL');
  const chosen = await made.query('SELECT count(*) AS "orders there" FROM orders WHERE city = {{city}}', {
    parameters: { city: { type: 'string', default: 'Porto' } },
  });
  board = await made.dashboard({
    name: 'Sales / <b>2026</b>',
    filters: [
      { name: 'town', type: 'string', default: 'Porto' },
      { name: 'day', type: 'date' },
    ],
    tiles: [
      {
        kind: 'text',
        text: `Read **this** [x](javascript:alert(1)) ${hostile} ![p](https://example.com/p.png)`,
      },
      {
        kind: 'query',
        query_id: rows,
        title: 'Chart',
        y: 8,
        chart: { type: 'bar', x: 'city', y: ['total'] },
      },
      { kind: 'query', query_id: rows, title: hostile, y: 16 },
      {
        kind: 'query',
        query_id: chosen,
        title: 'There',
        y: 24,
        bindings: { city: 'town' },
        chart: { type: 'number' },
      },
    ],
  });
});
afterAll(() => mail.close());

const filesOf = async (prefix: string) => {
  const { body } = await client.call('GET', `/v1/projects/${project}/files?limit=200`);
  const files = body.items as { id: string; path: string; version: number; contentType: string }[];
  return files.filter(({ path }) => path.startsWith(prefix));
};
const bytesOf = async (fileId: string): Promise<Buffer> => {
  const answer = await workspace.app.inject({
    url: `/v1/projects/${project}/files/${fileId}/content`,
    headers: { authorization: `Bearer ${await client.token()}` },
  });
  return answer.rawPayload;
};
const outputsOf = (runId: string) =>
  inOrganization(workspace.deps.db, client.organizationId, async (db) => {
    const rows = await db
      .selectFrom('workflow_run_nodes')
      .select(['node_id', 'output'])
      .where('run_id', '=', runId)
      .execute();
    return Object.fromEntries(rows.map(({ node_id: id, output }) => [id, output]));
  });

test('what cannot be shown keeps a draft from activation, at its place', async () => {
  const config = { dashboard_id: board };
  const draft = await workflows.draft(
    graphOf(
      [
        node('unknown', 'dashboard', { dashboard_id: 'dsh_01kahz3v6dfyvb1s8m3h9q2w4x' }),
        node('filters', 'dashboard', {
          ...config,
          filters: { other: '${params.p}', town: 1, day: '2026-13-01' },
        }),
        node('format', 'dashboard', { ...config, format: 'docx' }),
        node('reference', 'dashboard', { ...config, filters: { town: '${nobody.rows}' } }),
        node('right', 'dashboard', { ...config, filters: { town: '${params.p}', day: '2026-01-01' } }),
      ],
      [],
      { p: { type: 'string' } },
    ),
  );
  const answer = await client.call('POST', `/v1/workflows/${draft.id}/validate`);
  const at = (index: number, ...place: string[]) => ['body', 'graph', 'nodes', index, 'config', ...place];
  expect(answer.body.data.faults.map(({ loc }: { loc: unknown }) => loc)).toEqual(
    expect.arrayContaining([
      at(0, 'dashboard_id'),
      at(1, 'filters', 'other'),
      at(1, 'filters', 'town'),
      at(1, 'filters', 'day'),
      at(2, 'format'),
      at(3, 'filters', 'town'),
    ]),
  );
  expect(answer.body.data.faults).toHaveLength(6);
});

test('a query chooses the value of a filter, and the page is the mail', async () => {
  const before = mail.mails.length;
  const { id } = await workflows.active(
    graphOf(
      [
        node('best', 'query', { sql: 'SELECT city FROM orders ORDER BY amount DESC LIMIT 1' }),
        node('board', 'dashboard', {
          dashboard_id: board,
          format: 'html',
          filters: { town: '${best.rows}', day: '${params.day}' },
        }),
        node('tell', 'email_delivery', {
          to: ['ada@example.com'],
          subject: 'Sales\r\nBcc: eve@example.com ${best.rows}',
        }),
        node('text', 'email_delivery', {
          to: ['bob@example.com'],
          subject: 'Snapshot ${board.snapshot}',
          text: 'See <below>.\n\nBye',
        }),
      ],
      [
        ['board.file', 'tell.input'],
        ['board.file', 'text.input'],
      ],
      { day: { type: 'date', required: true } },
    ),
  );
  const run = await workflows.ran(id, { day: '2026-11-22' });
  expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
  const [toAda, toBob] = ['ada', 'bob'].map(
    (name) => mail.mails.slice(before).find(({ to }) => to?.[0]?.address === `${name}@example.com`)!,
  ) as [TestSmtpServer['mails'][0], TestSmtpServer['mails'][0]];
  expect([toAda.to, toAda.cc, toAda.bcc]).toEqual([
    [expect.objectContaining({ address: 'ada@example.com' })],
    undefined,
    undefined,
  ]);
  expect(toAda.subject).toBe(`Sales Bcc: eve@example.com ${hostile}`);
  const html = toAda.html!;
  expect(html).toContain('Sales / &lt;b&gt;2026&lt;/b&gt;</h1>');
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Faro&quot;');
  expect(html).toMatch(/<b>1<\/b> orders there/);
  expect(html).not.toMatch(/<script|javascript:|<img[^>]*https?:/);
  expect(Buffer.byteLength(html)).toBeLessThan(102_000);
  // The chart is the only picture, and nothing is attached besides.
  expect(toAda.attachments).toHaveLength(1);
  const [picture] = toAda.attachments;
  expect(picture).toMatchObject({ mimeType: 'image/png', disposition: 'inline', related: true });
  expect(html).toContain(`src="cid:${picture!.contentId!.slice(1, -1)}"`);
  expect(toAda.text).toContain(`Porto | 2`);
  expect(toAda.text).toContain('1 orders there');
  expect(toBob.text).toMatch(/^See <below>\.\n\nBye\n\nSales/);
  expect(toBob.html).toMatch(/See &lt;below&gt;\.<\/p>.*Bye<\/p>.*<h1/s);
  const made = (await outputsOf(run.id))['board']!;
  expect(made['snapshot']).toMatchObject({ type: 'value', value: expect.any(Number) });
  expect(toBob.subject).toBe(`Snapshot ${(made['snapshot'] as { value: unknown }).value}`);
  const [page] = await filesOf(`workflow-runs/${run.id}/board/`);
  expect(page).toMatchObject({
    path: `workflow-runs/${run.id}/board/Sales - -b-2026--b-.html`,
    contentType: 'text/html',
  });
  const whole = (await bytesOf(page!.id)).toString();
  expect(whole).toContain('src="data:image/png;base64,');
  expect(whole).not.toMatch(/<script|cid:/);
});

test('a PDF is a file at the path of the next node, and a PNG is attached', async () => {
  const { id } = await workflows.active(
    graphOf(
      [
        node('pdf', 'dashboard', { dashboard_id: board }),
        node('png', 'dashboard', { dashboard_id: board, format: 'png' }),
        node('file', 'file_output', { path: 'sales.pdf' }),
        node('tell', 'email_delivery', { to: ['eva@example.com'], subject: 'Sales' }),
      ],
      [
        ['pdf.file', 'file.input'],
        ['png.file', 'tell.input'],
      ],
    ),
    { output_folder: 'boards' },
  );
  const run = await workflows.ran(id);
  expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
  const [file] = await filesOf('boards/');
  expect(file).toMatchObject({ path: 'boards/sales.pdf', contentType: 'application/pdf' });
  const text = (await readPdf(await bytesOf(file!.id))).map((page) => page.text).join('\n');
  expect(text).toContain('1 orders there');
  const sent = mail.mails.find(({ to }) => to?.[0]?.address === 'eva@example.com')!;
  expect(sent.attachments).toMatchObject([
    { filename: 'Sales - -b-2026--b-.png', mimeType: 'image/png', disposition: 'attachment' },
  ]);
});

test('it shows the data that the run reads, and is made once however often it is asked', async () => {
  const { id } = await workflows.active(
    graphOf(
      [
        node('before', 'query', { sql: 'SELECT count(*) AS n FROM orders' }),
        node('ask', 'approval', { message: 'Go on?' }),
        node('board', 'dashboard', { dashboard_id: board, format: 'html' }),
        node('after', 'approval', { message: 'Done?' }),
      ],
      [
        ['before.done', 'ask.start'],
        ['ask.done', 'board.start'],
        ['board.done', 'after.start'],
      ],
    ),
  );
  const run = await workflows.start(id);
  const runs = `/v1/workflows/${id}/runs/${run.id}`;
  const allow = async () => {
    await workflows.until(id, run.id, ({ status }) => status === 'waiting');
    const { body } = await client.call('GET', `${runs}/approvals`);
    const open = body.items.find(({ status }: { status: string }) => status === 'pending');
    await client.call('POST', `${runs}/approvals/${open.id}`, { body: { decision: 'allow' } });
  };
  const append = (sId: number) =>
    client.call('POST', `/v1/tables/${ordersId}/rows`, {
      body: { rows: [{ s_id: sId, amount: 5, city: 'Braga' }] },
    });
  await workflows.until(id, run.id, ({ status }) => status === 'waiting');
  expect((await append(10)).status).toBe(200);
  // Nothing of this table was there when the run began.
  await attachedTable(client, project, 'later', [{ s_id: 1, a: 1 }]);
  await allow();
  await workflows.until(id, run.id, (now) => steps(now)['after'] === 'running');
  const made = (await outputsOf(run.id))['board'];
  const [file] = await filesOf(`workflow-runs/${run.id}/`);
  expect((await bytesOf(file!.id)).toString()).not.toContain('Braga');
  // As after a crash between the file and the end of the node.
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .updateTable('workflow_run_nodes')
      .set({ status: 'running', output: null })
      .where('id', '=', `${run.id}.board`)
      .execute(),
  );
  await append(11);
  const input = { organizationId: client.organizationId, runId: run.id, nodeId: 'board' };
  const signal = new AbortController().signal;
  expect(await advanceNode(workspace.activityDeps, input, signal)).toMatchObject({
    kind: 'ended',
    end: { status: 'succeeded' },
  });
  expect((await outputsOf(run.id))['board']).toEqual(made);
  expect(await filesOf(`workflow-runs/${run.id}/`)).toEqual([file]);
  await allow();
  expect((await workflows.ended(id, run.id)).status).toBe('succeeded');
});

test('the owner who may no longer read a table gets no file, and neither does anybody else', async () => {
  const [ada, bob] = [
    await personOf(workspace, client, 'member'),
    await personOf(workspace, client, 'member'),
  ];
  const tableId = await madeTable(client, 'granted');
  await replaceGrants(client, tableId, only(ada, 'read'));
  const made = dashboardsOf(ada, () => project);
  const mine = await made.dashboard({
    tiles: [
      { kind: 'query', title: 'Secrets', query_id: await made.query('SELECT a AS secret FROM granted') },
    ],
    filters: [{ name: 'n', type: 'number' }],
  });
  const own = workflowsOf(ada as unknown as TestClient, () => project);
  const { id } = await own.active(
    graphOf(
      [
        node('board', 'dashboard', { dashboard_id: mine, format: 'html', filters: { n: '${params.n}' } }),
        node('tell', 'email_delivery', { to: ['zoe@example.com'], subject: 'Secrets' }),
      ],
      [['board.file', 'tell.input']],
      { n: { type: 'string', required: false } },
    ),
  );
  const first = await own.ran(id);
  expect(first.status, JSON.stringify(first.error)).toBe('succeeded');
  const wrong = await own.ran(id, { n: 'many' });
  expect(wrong.error).toMatchObject({
    nodeId: 'board',
    code: 'invalid_request',
    message: expect.stringContaining('config.filters.n'),
  });
  const sent = mail.mails.length;
  await replaceGrants(client, tableId, only(bob, 'read'));
  const run = await own.ran(id);
  expect(run).toMatchObject({
    status: 'failed',
    error: { nodeId: 'board', code: 'query_failed', message: expect.stringContaining('"Secrets"') },
  });
  expect([mail.mails.length, await filesOf(`workflow-runs/${run.id}/`)]).toEqual([sent, []]);
  // It is resumed with the data that it began with, or not at all.
  const resume = (query = '') => ada.call('POST', `/v1/workflows/${id}/runs/${run.id}/resume${query}`);
  await workspace.deps.lake.catalogPool.query('DELETE FROM lake_pins WHERE holder = $1', [
    `workflow-run/${run.id}`,
  ]);
  expect((await resume()).body.code).toBe('version_expired');
  await replaceGrants(client, tableId, only(ada, 'read'));
  expect((await resume('?data=newest')).status).toBe(202);
  expect((await own.ended(id, run.id)).status).toBe('succeeded');
  expect(mail.mails).toHaveLength(sent + 1);
  await client.call('DELETE', `/v1/projects/${project}/dashboards/${mine}?confirm=true`);
  expect((await own.ran(id)).error).toMatchObject({ nodeId: 'board', code: 'not_found' });
});
