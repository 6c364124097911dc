import { beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { talkIn, useModelServer } from '../../../support/conversations.ts';
import { readPdf } from '../../../support/documents.ts';
import { eventually } from '../../../support/eventually.ts';
import type { ModelReply, ModelRequestBody } from '../../../support/model-server.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

let script: ((request: ModelRequestBody) => ModelReply)[] = [];

const models = useModelServer((request) => script.shift()?.(request) ?? { text: 'Done.' });
const workspace = useOwnWorkspace({}, models.environment);
useWorker(workspace);

let client: TestClient;

beforeAll(async () => {
  client = await workspace.organization();
});

const calls = (name: string, input: unknown): ModelReply => ({
  toolCalls: [{ name, arguments: JSON.stringify(input) }],
});

/** The result of the last tool call, between its marks. */
const answered = ({ messages }: ModelRequestBody) => JSON.parse(messages.at(-1).content.split('\n')[1]);

test('the analyst embeds what it drew and read, and the report outlives the conversation', async () => {
  const talk = await talkIn(client);
  const columns = [{ name: 'region' }, { name: 'amount' }];
  const body = { name: 'sales', kind: 'data', columns };
  const { tableId } = (await client.call('POST', '/v1/grid/tables', { body })).body.data;
  const rows = ['North', 'South'].map((region, index) => ({
    s_id: index + 1,
    region,
    amount: 10 * (index + 1),
  }));
  await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows } });
  await client.call('POST', `/v1/projects/${talk.projectId}/catalog-entries`, {
    body: { table_id: tableId },
  });
  let resultId = '';
  script = [
    (request) => {
      const tool = JSON.stringify(request).match(/write_report[\s\S]{0,600}/)?.[0];
      // The tool's description says how.
      expect(tool).toContain('![title](chart:');
      return calls('run_sql', { sql: 'SELECT region, amount FROM sales ORDER BY region', title: 'Sales' });
    },
    (request) => {
      ({ resultId } = answered(request));
      return calls('draw_chart', {
        result_id: resultId,
        kind: 'bar',
        x: 'region',
        y: 'amount',
        title: 'By region',
      });
    },
    (request) =>
      calls('write_report', {
        title: 'Sales',
        content: `Two regions.\n\n![By region](chart:${answered(request).chartId})\n\n![Figures](result:${resultId})`,
      }),
  ];
  const reply = await talk.ask('Report on sales.');
  expect(reply.status, JSON.stringify(reply)).toBe('complete');
  const { reportId } = reply.parts.find(({ type }: { type: string }) => type === 'report');
  expect((await client.call('DELETE', talk.url)).status).toBe(200);
  // Its process removes what its tools created.
  await eventually(
    () =>
      inOrganization(workspace.deps.db, client.organizationId, (db) =>
        db.selectFrom('conversations').select('id').where('id', '=', talk.id).execute(),
      ),
    (left) => left.length === 0,
  );
  const url = `/v1/projects/${talk.projectId}/reports/${reportId}`;
  const { data } = (await client.call('GET', url)).body;
  expect(data).toMatchObject({ source: 'conversation', sourceId: talk.id, dataVersions: [{ tableId }] });
  const text = (await client.call('GET', `${url}/content?format=markdown`)).text;
  expect(text).toContain('![By region](data:image/svg+xml;base64,');
  expect(text).toMatch(/\| South \| 20 \|/);
  const pdf = await workspace.app.inject({
    url: `${url}/content?format=pdf`,
    headers: { authorization: `Bearer ${await client.token()}` },
  });
  const [page] = await readPdf(pdf.rawPayload);
  for (const word of ['By region', 'Figures', 'South']) expect(page!.text).toContain(word);
});
