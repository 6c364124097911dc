import { afterAll, beforeAll, expect, test } from 'vitest';
import { talkIn, useModelServer } from '../support/conversations.ts';
import { eventually } from '../support/eventually.ts';
import { startMcpServer, type TestMcpServer } from '../support/mcp-server.ts';
import { startWorker } from '../support/worker.ts';
import { useOwnWorkspace } from '../support/workspace.ts';

const called: unknown[] = [];
let apps: TestMcpServer;
const models = useModelServer(({ messages, tools = [] }) => {
  if (messages.at(-1)!.role === 'tool') return { text: `Told: ${messages.at(-1)!.content}` };
  const tool = tools.find((offered) => offered.function.name.endsWith('create_ticket'));
  return { toolCalls: [{ name: tool.function.name, arguments: '{"title":"Returns"}' }] };
});
const workspace = useOwnWorkspace({}, () => ({
  ...models.environment(),
  ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
}));

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
});
afterAll(() => apps?.close());

test('a call that waits for a person is allowed under another worker than it began, and made once', async () => {
  const client = await workspace.organization();
  const stopFirst = await startWorker(workspace);
  const app = { name: 'Tickets', type: 'mcp', url: apps.url };
  expect((await client.call('POST', '/v1/connections/app', { body: app })).status).toBe(201);
  const talk = await talkIn(client);
  const { messageId } = (await talk.post('File a ticket.')).body.data;
  await eventually(
    () => talk.message(messageId),
    ({ status }) => status === 'waiting_approval',
  );
  await stopFirst();
  const stopSecond = await startWorker(workspace);
  const [approval] = (await client.call('GET', `${talk.url}/approvals`)).body.items;
  expect(approval).toMatchObject({ status: 'pending', input: { title: 'Returns' } });
  const allow = { decision: 'allow' };
  await client.call('POST', `${talk.url}/approvals/${approval.id}`, { body: allow });
  const reply = await eventually(
    () => talk.message(messageId),
    ({ completedAt }) => completedAt !== null,
  );
  expect(reply).toMatchObject({ status: 'complete', content: expect.stringContaining('Ticket 1') });
  expect(called).toEqual([{ title: 'Returns' }]);
  await stopSecond();
});
