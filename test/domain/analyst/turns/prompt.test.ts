import { expect, test } from 'vitest';
import { newId } from '../../../../data/ids.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { addParts, getMessage, insertMessage } from '../../../../domain/analyst/conversations/messages.ts';
import { promptOf } from '../../../../domain/analyst/turns/prompt.ts';
import { talkIn } from '../../../support/conversations.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

/** A conversation of that many turns, each with one call whose answer has that many characters. */
async function talkOf(turns: number, answerCharacters: number) {
  const client = await workspace.organization();
  const { id: conversation_id } = await talkIn(client);
  const { organizationId: organization_id } = client;
  let replyId = '';
  await inOrganization(workspace.deps.db, organization_id, async (db) => {
    for (let turn = 0; turn < turns; turn += 1) {
      const shared = { organization_id, conversation_id, model: 'offline' };
      const question = newId('msg', turn * 2 + 1);
      await insertMessage(db, {
        ...shared,
        id: question,
        position: turn * 2 + 1,
        role: 'user',
        status: 'complete',
        content: `question ${turn}`,
      });
      replyId = newId('msg', turn * 2 + 2);
      const isLast = turn === turns - 1;
      const status = isLast ? 'streaming' : 'complete';
      const reply = { ...shared, id: replyId, position: turn * 2 + 2, answers_id: question };
      const row = await insertMessage(db, { ...reply, role: 'assistant', status });
      await db
        .insertInto('message_steps')
        .values({
          organization_id,
          message_id: replyId,
          step: 0,
          response: JSON.stringify([{ type: 'tool-call', toolCallId: 'c', toolName: 'run_sql', input: {} }]),
        })
        .execute();
      const call = {
        step: 0,
        type: 'tool_call',
        tool_call_id: 'c',
        name: 'run_sql',
        status: 'done',
      } as const;
      await addParts(db, row, [{ ...call, output: JSON.stringify('x'.repeat(answerCharacters)) }]);
    }
  });
  return (contextTokens: number) =>
    inOrganization(workspace.deps.db, organization_id, async (db) =>
      promptOf(db, await getMessage(db, organization_id, conversation_id, replyId), contextTokens),
    );
}

const text = (message: unknown): string => JSON.stringify(message);

test('a conversation that fits is shown whole, each call with what it answered', async () => {
  const prompt = await (await talkOf(3, 100))(100_000);
  expect(prompt.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
    'assistant',
    'tool',
    'user',
    'assistant',
    'tool',
  ]);
  expect(prompt.filter((message) => text(message).includes('x'.repeat(100)))).toHaveLength(3);
});

test('old answers of tools are dropped first, the newest stay', async () => {
  const prompt = await (await talkOf(4, 1_000))(1_500);
  const tools = prompt.filter(({ role }) => role === 'tool').map((message) => text(message).includes('xxx'));
  expect(tools).toEqual([false, false, true, true]);
  expect(prompt.filter(({ role }) => role === 'user')).toHaveLength(4);
});

test('then old messages go, and the last question always stays with what was done about it', async () => {
  const prompt = await (await talkOf(20, 10_000))(300);
  expect(prompt.filter(({ role }) => role === 'user').length).toBeLessThan(20);
  expect(text(prompt.findLast(({ role }) => role === 'user'))).toContain('question 19');
  expect(text(prompt.at(-1))).toContain('xxx');
  expect(prompt[0]?.role).toBe('user');
  const tiny = await (await talkOf(2, 10_000))(1);
  expect(tiny.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
});

test('a conversation of hundreds of messages costs the prompt no more than its newest', async () => {
  const prompt = await (await talkOf(150, 10))(1_000_000);
  expect(prompt.filter(({ role }) => role === 'user').length).toBeLessThanOrEqual(30);
});
