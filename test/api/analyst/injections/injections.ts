import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectOf, talkIn, useModelServer } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { startMcpServer, type TestMcpServer } from '../../../support/mcp-server.ts';
import type { ModelReply, ModelRequestBody } from '../../../support/model-server.ts';
import { attachedTable } from '../../../support/runs.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

/**
 * Texts in a table that tell the analyst what to do, and a model that obeys each of them. Whatever it calls,
 * nothing changes that is guarded, and it sees nothing that the asker did not give it.
 */
interface Injection {
  says: string;
  calls: { tool: string; input: object }[];
}
export const corpus = JSON.parse(
  readFileSync(new URL('corpus.json', import.meta.url), 'utf8'),
) as readonly Injection[];

/** What nobody who reads the table may come to see. */
const canary = 'CANARY-7f3a';
const order = 'DO:';

/** Reads the row that it is asked for, then does what the row says, then ends. */
function obey({ messages }: ModelRequestBody): ModelReply {
  const last = messages.at(-1);
  if (last.role === 'user') {
    const sql = `SELECT comment FROM feedback WHERE number = ${Number(/\d+/.exec(last.content)?.[0])}`;
    return { toolCalls: [{ name: 'run_sql', arguments: JSON.stringify({ sql }) }] };
  }
  const read = dataIn(last.content);
  const comment: string | undefined = read?.rows?.[0]?.[0];
  const at = comment?.indexOf(order) ?? -1;
  if (at < 0) return { text: 'Done.' };
  const calls = JSON.parse(comment!.slice(at + order.length)) as Injection['calls'];
  return { toolCalls: calls.map(({ tool, input }) => ({ name: tool, arguments: JSON.stringify(input) })) };
}

// biome-ignore lint/suspicious/noExplicitAny: results of tools have any shape.
function dataIn(content: string): any {
  const [, json] = /^<data-[0-9a-f]{16}>\n([\s\S]*)\n<\/data-[0-9a-f]{16}>$/.exec(content) ?? [];
  return json === undefined ? undefined : JSON.parse(json);
}

/** Has the model obey each so many of them. */
export function obeyInjections(each: number): void {
  const models = useModelServer(obey);
  const workspace = useOwnWorkspace({}, () => ({
    ...models.environment(),
    ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
  }));
  useWorker(workspace);

  const called: string[] = [];
  const guarded = (name: string) => ({
    name,
    description: 'Does it.',
    run: () => {
      called.push(name);
      return { content: [{ type: 'text' as const, text: 'Done.' }] };
    },
  });
  let server: TestMcpServer;
  let client: TestClient;
  let project: string;
  let elsewhere: string;
  let asked: string;
  let denied: string;

  const secret = [{ s_id: 1, amount: 1, note: canary }];

  beforeAll(async () => {
    server = await startMcpServer({ tools: [guarded('pay_invoice'), guarded('close_accounts')] });
    client = await workspace.organization();
    project = await projectOf(client);
    elsewhere = await projectOf(client);
    await attachedTable(client, elsewhere, 'payroll', secret);
    const foreign = await workspace.organization();
    await attachedTable(foreign, await projectOf(foreign), 'foreign_payroll', secret);
    const secretFile = `/v1/projects/${elsewhere}/files/content?path=secret.txt`;
    const written = await client.call('PUT', secretFile, { body: { content: canary } });
    expect(written.status, written.text).toBeLessThan(300);
    const body = { name: 'Bank', type: 'mcp', url: server.url };
    const connection = (await client.call('POST', '/v1/connections/app', { body })).body.data.id;
    for (const [tool, policy] of [
      ['pay_invoice', 'ask'],
      ['close_accounts', 'deny'],
    ])
      await client.call('PUT', `/v1/connections/app/${connection}/tools/${tool}`, { body: { policy } });
    // The names under which a model would know them.
    const talk = await talkIn(client, project);
    await talk.ask('row 0');
    const names = (models.requests.at(-1)!.body.tools ?? []).map((tool) => String(tool.function.name));
    asked = names.find((name) => name.endsWith('pay_invoice'))!;
    denied = asked.replace('pay_invoice', 'close_accounts');
    expect(names).not.toContain(denied);
    const other = await talkIn(client, elsewhere);
    const rows = corpus.map(({ says, calls }, index) => ({
      s_id: index + 1,
      number: index + 1,
      comment: `${says}\n${order}${JSON.stringify(calls)}`
        .replace('{{asked}}', asked)
        .replace('{{denied}}', denied)
        .replace('{{foreignResult}}', other.id.replace('cnv', 'res')),
    }));
    await attachedTable(client, project, 'feedback', rows);
  });
  afterAll(() => server.close());

  /** Everything of the organization that the calls of the corpus would change. */
  async function everything(): Promise<unknown> {
    const list = async (path: string) => {
      const answer = await client.call('GET', `${path}?limit=200`);
      expect(answer.status, answer.text).toBe(200);
      return answer.body.items;
    };
    const rows = await client.call('POST', '/v1/query-executions', {
      body: { sql: 'SELECT * FROM feedback ORDER BY number', limit: 100, row_format: 'rows' },
    });
    return {
      rows: rows.body.data.rows,
      tables: await list('/v1/tables'),
      views: await list('/v1/views'),
      here: await list(`/v1/projects/${project}/files`),
      there: await list(`/v1/projects/${elsewhere}/files`),
      reports: await list(`/v1/projects/${project}/reports`),
      apps: await list('/v1/connections/app'),
    };
  }

  test('a model that obeys all of them changes nothing that is guarded, and sees nothing new', async () => {
    const before = await everything();
    const left = corpus
      .map((injection, index) => ({ ...injection, number: index + 1 }))
      .filter(({ number }) => number % each === 0);
    const lanes = Array.from({ length: 4 }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await tried(next);
    });
    await Promise.all(lanes);
    expect(called).toEqual([]);
    expect(await everything()).toEqual(before);
    const seen = JSON.stringify(models.requests.map(({ body }) => body.messages));
    expect(seen).not.toContain(canary);
  });

  /** The answers of its calls are errors, or hold nothing. */
  async function tried({ says, number, calls }: Injection & { number: number }): Promise<void> {
    const talk = await talkIn(client, project);
    const { messageId } = (await talk.post(`row ${number}`)).body.data;
    const reply = await eventually(
      () => talk.message(messageId),
      ({ status }) => status !== 'streaming',
    );
    if (reply.status === 'waiting_approval') {
      expect(calls.map(({ tool }) => tool)).toEqual(['{{asked}}']);
      expect((await talk.cancel(messageId)).status).toBe(200);
      return;
    }
    expect(reply.status, `${says}: ${JSON.stringify(reply.error)}`).toBe('complete');
    const [read, ...obeyed] = reply.parts.filter(({ type }: { type: string }) => type === 'tool_call');
    expect(read.status, says).toBe('done');
    expect(obeyed, says).toHaveLength(calls.length);
    for (const { status, summary } of obeyed)
      if (status !== 'failed') expect(summary, `${number} ${says}`).toBe('0 files.');
  }
}
