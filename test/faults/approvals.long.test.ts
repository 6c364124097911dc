import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startMcpServer, type TestMcpServer } from '../support/mcp-server.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { createFaultClient, type FaultClient } from './client.ts';
import { createJournal } from './journal.ts';
import { signal } from './processes.ts';
import { parts, type StackUnderTest, startStackUnderTest } from './stack-under-test.ts';

/** A call that waits for a person, while everything below it is killed and restarted. */
let stack: StackUnderTest;
let model: ModelServer;
let apps: TestMcpServer;
let client: FaultClient;
const called: unknown[] = [];
const over = new AbortController();

beforeAll(async () => {
  apps = await startMcpServer({
    tools: [
      {
        name: 'create_ticket',
        description: 'Creates a ticket.',
        run: (input) => {
          called.push(input);
          return { content: [{ type: 'text', text: `Ticket ${called.length}` }] };
        },
      },
    ],
  });
  model = await startModelServer(({ messages, tools = [] }) => {
    if (messages.at(-1)!.role === 'tool') return { text: `Told: ${messages.at(-1)!.content}` };
    const tool = tools.find((offered) => offered.function.name.endsWith('create_ticket'));
    return { toolCalls: [{ name: tool.function.name, arguments: '{"title":"Returns"}' }] };
  });
  const journal = createJournal(() => {});
  stack = await startStackUnderTest({
    journal,
    report: () => {},
    environment: {
      MODEL_BASE_URL: model.url,
      MODEL_IDS: 'scripted',
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
    },
  });
  client = createFaultClient(stack.state, journal, over.signal);
});

afterAll(async () => {
  over.abort();
  client?.close();
  await stack?.stop(false);
  await Promise.all([model?.close(), apps?.close()]);
});

async function ask(method: 'GET' | 'POST', path: string, body?: unknown) {
  const settled = await client.settle({ kind: 'approval', method, path, body });
  if (settled.outcome !== 'acknowledged') throw new Error(`${path}: ${JSON.stringify(settled)}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
  return settled.answer.body as any;
}

/** Restarting everything takes a while. */
const overRestarts = { timeoutMs: 300_000, everyMs: 200 };

test('a call waits over a restart of everything, is allowed, and goes on', async () => {
  await ask('POST', '/v1/connections/app', { name: 'Tickets', type: 'mcp', url: apps.url });
  const { id: project } = (await ask('POST', '/v1/projects', { name: 'Approvals' })).data;
  const chats = `/v1/projects/${project}/conversations`;
  const chat = `${chats}/${(await ask('POST', chats, {})).data.id}`;
  const { messageId } = (await ask('POST', `${chat}/messages`, { message: 'File a ticket.' })).data;
  const reply = () => ask('GET', `${chat}/messages/${messageId}`);
  await eventually(reply, ({ data }) => data.status === 'waiting_approval', overRestarts);
  for (const part of parts) {
    const pid = stack.pidOf(part);
    expect(pid, part).toBeDefined();
    signal(pid!, 'SIGKILL');
  }
  await eventually(
    async () => Math.min(...parts.map((part) => stack.recentDeaths(part))),
    (deaths) => deaths > 0,
    overRestarts,
  );
  await eventually(
    () => stack.isUp(),
    (isUp) => isUp,
    overRestarts,
  );
  expect((await reply()).data.status).toBe('waiting_approval');
  const [approval] = (await ask('GET', `${chat}/approvals`)).items;
  expect(approval).toMatchObject({ status: 'pending', input: { title: 'Returns' } });
  await ask('POST', `${chat}/approvals/${approval.id}`, { decision: 'allow' });
  const { data } = await eventually(reply, (seen) => seen.data.completedAt !== null, overRestarts);
  expect(data).toMatchObject({ status: 'complete', content: expect.stringContaining('Ticket 1') });
  expect(called).toEqual([{ title: 'Returns' }]);
});
