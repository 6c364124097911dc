import { z } from 'zod';
import { inOrganization } from '../../../data/postgres/client.ts';
import {
  type Conversation,
  type ConversationPlace,
  getConversation,
  listConversations,
  lockNamed,
  updateConversation,
} from '../../../domain/analyst/conversations/conversations.ts';
import { createConversation } from '../../../domain/analyst/conversations/create.ts';
import { wakeConversation } from '../../../domain/analyst/conversations/process.ts';
import { deleteConversation } from '../../../domain/analyst/conversations/remove.ts';
import { showConversation } from '../../../domain/analyst/conversations/show.ts';
import { getProject } from '../../../domain/workspace/projects/projects.ts';
import { memoOf } from '../../caller.ts';
import { chosenModel } from '../../chosen-model.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { encodeCursor, envelope } from '../../schemas.ts';
import { approvalsRoutes } from './approvals.ts';
import { conversationEventsRoutes } from './events.ts';
import { messagesRoutes } from './messages.ts';
import { conversationId, conversationPath, loadConversation } from './paths.ts';
import { queueRoutes } from './queue.ts';
import { toolResultsRoutes } from './results.ts';
import {
  changeConversationBody,
  conversationExample,
  conversationSchema,
  conversationView,
  createConversationBody,
  messageExample,
  queuedMessageExample,
  shownConversation,
} from './schemas.ts';

const placeOf = ({ updated_at: at, id }: Conversation): ConversationPlace => [at.toISOString(), id];

/** Conversations with the analyst, and everything in them. */
export function conversationsRoutes(app: Routes, deps: ApiDeps): void {
  const tag = {
    name: 'Conversations',
    description: 'Talk with the analyst: messages, their queue, and a stream of events.',
  };
  const conversations = resource(app, deps, {
    tag,
    path: conversationPath,
    schema: conversationSchema,
    example: conversationExample,
    load: loadConversation,
    parent: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
    view: conversationView,
  });

  conversations.list({
    summary: 'List the conversations of a project, by latest activity',
    rows: (db, { organizationId, params }, slice) =>
      listConversations(db, organizationId, params.project_id, slice),
    place: { schema: z.tuple([z.iso.datetime(), z.string()]), of: placeOf },
  });
  conversations.create({
    summary: 'Create a conversation',
    audit: 'conversation.created',
    description:
      'If you send a `message`, it is posted too. `GET` then shows the current reply as `activeTurn`.',
    body: createConversationBody,
    errors: ['conflict'],
    run: async ({ organizationId, params, body, caller, newId, request }) => {
      const { model, effort } = chosenModel(deps.models, body);
      const row = await createConversation(deps.db, {
        organizationId,
        projectId: params.project_id,
        conversationId: newId('cnv'),
        callerId: caller.id,
        title: body.title ?? '',
        message: body.message,
        displayContent: body.display_content ?? null,
        model,
        effort,
        ids: {
          userMessageId: newId('msg', 'user'),
          messageId: newId('msg', 'reply'),
          queuedMessageId: newId('que'),
        },
      });
      if (body.message !== undefined) await wakeConversation(deps, row, memoOf(request));
      return row;
    },
  });
  route(
    app,
    { db: deps.db, tag },
    ['GET', conversationPath],
    {
      summary: 'Show a conversation',
      exists: loadConversation,
    },
    {
      200: envelope(shownConversation).meta({
        examples: [
          {
            data: {
              ...conversationExample,
              messages: [messageExample],
              messagesCursor: null,
              activeTurn: null,
              queuedTurns: [queuedMessageExample],
              lastEventId: 42,
            },
          },
        ],
      }),
    },
    async ({ organizationId, params, request }) => {
      const shown = await showConversation(deps.db, conversationId(organizationId, params));
      const { conversation, older, ...rest } = shown;
      const messagesUrl = `${request.url.split('?', 1)[0]}/messages`;
      return {
        data: {
          ...conversationView(conversation),
          ...rest,
          messagesCursor:
            older === undefined ? null : encodeCursor({ url: messagesUrl, query: { limit: 100 } }, older),
        },
      };
    },
  );
  conversations.change({
    summary: 'Rename a conversation',
    audit: 'conversation.updated',
    body: changeConversationBody,
    run: ({ organizationId, params, body, transaction }) =>
      transaction(async (db) => {
        const { id } = await getConversation(db, conversationId(organizationId, params));
        return updateConversation(db, organizationId, id, { title: body.title });
      }),
  });
  conversations.remove({
    summary: 'Delete a conversation',
    audit: 'conversation.deleted',
    description:
      'Stops the current reply. Reports that the conversation created belong to the project and stay.',
    run: async ({ organizationId, params, request }) => {
      const row = await inOrganization(deps.db, organizationId, async (db) =>
        deleteConversation(db, await lockNamed(db, conversationId(organizationId, params))),
      );
      await wakeConversation(deps, row, memoOf(request));
      return row;
    },
  });
  messagesRoutes(app, deps);
  queueRoutes(app, deps);
  approvalsRoutes(app, deps);
  conversationEventsRoutes(app, deps);
  toolResultsRoutes(app, deps);
}
