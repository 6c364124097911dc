import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { talkIn, useModelServer } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { useWorker } from '../../../support/worker.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

const models = useModelServer(({ messages }) =>
  String(messages.at(-1)!.content).includes('slowly')
    ? { endless: { delta: 'slow ', everyMs: 20 } }
    : { text: 'Quick.' },
);
const workspace = useOwnWorkspace({}, models.environment);
useWorker(workspace, { turnsPerOrganization: 2 });

test('an organization that has its turns under way keeps nobody else waiting, and its next one comes up', async () => {
  const client = await workspace.organization();
  const [one, two, three] = [await talkIn(client), await talkIn(client), await talkIn(client)];
  const slow = [one, two].map(async (talk) => {
    const { messageId } = (await talk.post('Answer slowly.')).body.data;
    await eventually(
      () => talk.message(messageId),
      ({ content }) => content !== '',
    );
    return messageId as string;
  });
  const [first] = await Promise.all(slow);
  const waiting = (await three.post('Me too.')).body.data.messageId;
  const others = await talkIn(await workspace.organization());
  expect(await others.ask('Hello?')).toMatchObject({ status: 'complete', content: 'Quick.' });
  expect(await three.message(waiting)).toMatchObject({ status: 'streaming', content: '' });
  await one.cancel(first!);
  expect(await three.ended(waiting)).toMatchObject({ status: 'complete', content: 'Quick.' });
});

test('an organization whose questions are too many is told to ask again later', async () => {
  const client = await workspace.organization();
  const talks = await Promise.all(Array.from({ length: 4 }, () => talkIn(client)));
  const busy = talks[0]!;
  const { messageId } = (await busy.post('Answer slowly.')).body.data;
  // As many others as there may be, which no process answers.
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    sql`
      WITH conversation AS (
        SELECT * FROM conversations WHERE id = ${talks[1]!.id}
      ), made AS (
        INSERT INTO conversations (organization_id, id, project_id, title, created_by)
        SELECT organization_id, id || '_' || n, project_id, '', created_by
        FROM conversation CROSS JOIN generate_series(1, 199) AS n RETURNING organization_id, id)
      INSERT INTO messages (organization_id, id, conversation_id, position, role, status, model)
      SELECT organization_id, 'msg_' || id, id, 1, 'assistant', 'streaming', 'offline' FROM made`.execute(db),
  );
  const refused = await talks[2]!.post('And me?');
  expect([refused.status, refused.body.code], refused.text).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  // In a conversation that is being answered, a question waits for it.
  expect((await busy.post('Then this.')).status).toBe(202);
  await busy.cancel(messageId);
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    sql`UPDATE messages SET status = 'cancelled', completed_at = now() WHERE id LIKE 'msg_cnv%'`.execute(db),
  );
  expect((await talks[2]!.post('And now?')).status).toBe(202);
});
