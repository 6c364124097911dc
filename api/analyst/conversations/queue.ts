import { inOrganization } from '../../../data/postgres/client.ts';
import { type Conversation, lockNamed } from '../../../domain/analyst/conversations/conversations.ts';
import { wakeConversation } from '../../../domain/analyst/conversations/process.ts';
import {
  editQueued,
  getQueued,
  type QueuedMessage,
  queuedView,
  removeQueued,
  resumeQueue,
  waitingViews,
} from '../../../domain/analyst/conversations/queue.ts';
import type { QueuedMessageView } from '../../../domain/analyst/conversations/views.ts';
import { memoOf } from '../../caller.ts';
import { chosenModel } from '../../chosen-model.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { type Call, type Load, type Params, route } from '../../route.ts';
import { envelope } from '../../schemas.ts';
import { conversationId, conversationPath, loadConversation } from './paths.ts';
import {
  changeQueuedBody,
  queuedMessageExample,
  queuedMessageSchema,
  removeQueuedQuery,
  resumed,
} from './schemas.ts';

const queuedPath = `${conversationPath}/queue/:queued_message_id` as const;

const loadQueued: Load<typeof queuedPath, QueuedMessageView> = async (db, organizationId, params) => {
  const conversation = await loadConversation(db, organizationId, params);
  return queuedView(db, conversation, await getQueued(db, conversation, params.queued_message_id));
};

export function queueRoutes(app: Routes, deps: ApiDeps): void {
  const tag = 'Conversations';
  const at = { db: deps.db, tag };
  const queued = resource(app, deps, {
    tag,
    path: queuedPath,
    schema: queuedMessageSchema,
    example: queuedMessageExample,
    load: loadQueued,
    view: (row) => row,
  });

  /** Changes a queue entry while holding the conversation's lock, and returns it. */
  function changed(
    { organizationId, params }: Pick<Call<typeof queuedPath>, 'organizationId' | 'params'>,
    change: (
      db: Parameters<typeof editQueued>[0],
      conversation: Conversation,
      id: string,
    ) => Promise<QueuedMessage>,
  ): Promise<QueuedMessageView> {
    return inOrganization(deps.db, organizationId, async (db) => {
      const conversation = await lockNamed(db, conversationId(organizationId, params));
      const row = await change(db, conversation, params.queued_message_id);
      return queuedView(db, conversation, row);
    });
  }

  queued.list({
    summary: 'List queued messages, next one first',
    operationId: 'listQueuedMessages',
    exists: loadConversation,
    rows: async (db, { organizationId, params }, { after, limit }) => {
      const conversation = await loadConversation(db, organizationId, params);
      return (await waitingViews(db, conversation, after)).slice(0, limit);
    },
  });
  queued.show({ summary: 'Show a queued message and its reply', operationId: 'getQueuedMessage' });
  queued.change({
    summary: 'Change a queued message',
    operationId: 'updateQueuedMessage',
    audit: 'queued_message.updated',
    body: changeQueuedBody,
    errors: ['conflict', 'revision_conflict'],
    run: (call) => {
      const { message, display_content: displayContent, model, effort, expected_revision } = call.body;
      if (model !== undefined) chosenModel(deps.models, { model });
      const change = { message, displayContent, model, effort };
      return changed(call, (db, conversation, id) =>
        editQueued(db, conversation, id, change, {
          expectedRevision: expected_revision,
          editorId: call.caller.id,
        }),
      );
    },
  });
  queued.remove({
    summary: 'Delete a queued message',
    operationId: 'removeQueuedMessage',
    audit: 'queued_message.removed',
    query: removeQueuedQuery,
    errors: ['conflict', 'revision_conflict'],
    run: (call) =>
      changed(call, (db, conversation, id) =>
        removeQueued(db, conversation, id, call.query.expected_revision),
      ),
  });
  route(
    app,
    at,
    ['POST', `${conversationPath}/queue/resume`],
    {
      summary: 'Resume a held queue',
      operationId: 'resumeQueue',
      audit: 'conversation.queue_resumed',
      description: "This has no effect if the queue isn't held.",
      exists: loadConversation,
    },
    {
      200: envelope(resumed).meta({
        examples: [{ data: { queueHeld: false, queuedTurns: [queuedMessageExample] } }],
      }),
    },
    async ({ organizationId, params, request }) => {
      const { conversation, isChanged, queuedTurns } = await resume(organizationId, params);
      if (isChanged) await wakeConversation(deps, conversation, memoOf(request));
      return { data: { queueHeld: false as const, queuedTurns } };
    },
  );

  function resume(organizationId: string, params: Params<typeof conversationPath>) {
    return inOrganization(deps.db, organizationId, async (db) => {
      const held = await lockNamed(db, conversationId(organizationId, params));
      const conversation = await resumeQueue(db, held);
      const queuedTurns = await waitingViews(db, conversation);
      return { conversation, isChanged: held.queue_held, queuedTurns };
    });
  }
}
