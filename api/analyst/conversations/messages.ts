import { z } from 'zod';
import { notFound } from '../../../data/errors.ts';
import { cancelReply } from '../../../domain/analyst/conversations/cancel.ts';
import { getConversation } from '../../../domain/analyst/conversations/conversations.ts';
import { getMessage } from '../../../domain/analyst/conversations/messages.ts';
import { postMessage } from '../../../domain/analyst/conversations/post.ts';
import { wakeConversation } from '../../../domain/analyst/conversations/process.ts';
import { pageOfMessages, type WholeMessage, withParts } from '../../../domain/analyst/conversations/show.ts';
import { messageView } from '../../../domain/analyst/conversations/views.ts';
import { memoOf } from '../../caller.ts';
import { chosenModel } from '../../chosen-model.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { type Load, route } from '../../route.ts';
import { confirmQuery, envelope } from '../../schemas.ts';
import { conversationId, conversationPath, loadConversation } from './paths.ts';
import { cancelled, messageExample, messageSchema, posted, postMessageBody } from './schemas.ts';

const messagePath = `${conversationPath}/messages/:message_id` as const;

const loadMessage: Load<typeof messagePath, WholeMessage> = async (db, organizationId, params) => {
  const conversation = await loadConversation(db, organizationId, params);
  const message = await getMessage(db, organizationId, conversation.id, params.message_id);
  return (await withParts(db, organizationId, [message]))[0]!;
};

/** Only replies can be stopped, not users' messages. */
const loadReply: typeof loadMessage = async (...named) => {
  const found = await loadMessage(...named);
  if (found.message.role !== 'assistant') throw notFound('The reply');
  return found;
};

export function messagesRoutes(app: Routes, deps: ApiDeps): void {
  const tag = 'Conversations';
  const at = { db: deps.db, tag };
  const messages = resource(app, deps, {
    tag,
    path: messagePath,
    schema: messageSchema,
    example: messageExample,
    load: loadMessage,
    parent: loadConversation,
    view: ({ message, ...shown }) => messageView(message, shown),
  });

  messages.list({
    summary: 'List the messages of a conversation, newest first',
    rows: async (db, { organizationId, params }, slice) => {
      const { rows, shown } = await pageOfMessages(db, organizationId, params.chat_id, slice);
      return { rows: await withParts(db, organizationId, rows), shown };
    },
    place: { schema: z.int(), of: ({ message }) => message.position },
  });
  messages.show({ summary: 'Show a message' });
  route(
    app,
    at,
    ['POST', `${conversationPath}/messages`],
    {
      summary: 'Ask the analyst',
      operationId: 'postMessage',
      audit: 'message.posted',
      description:
        'If the conversation is idle, the turn starts at once. If it is busy or its queue is held, `on_busy` decides what happens: the message is queued, refused, or replaces the current reply. A message that was accepted with 202 is never lost.',
      exists: loadConversation,
      body: postMessageBody,
      errors: ['conversation_busy', 'conflict'],
    },
    {
      202: envelope(posted).meta({
        examples: [
          {
            data: {
              messageId: 'msg_01kahz3v6dfyvb1s8m3h9q2w4x',
              userMessageId: 'msg_01kahz3v6dfyvb1s8m3h9q2w4w',
              queuedMessage: null,
              lastEventId: 42,
            },
          },
        ],
      }),
    },
    async ({ organizationId, params, body, caller, newId, request, reply }) => {
      const where = conversationId(organizationId, params);
      const { interruptedId, ...answer } = await postMessage(deps, {
        ...where,
        callerId: caller.id,
        message: body.message,
        displayContent: body.display_content ?? null,
        ...chosenModel(deps.models, body),
        onBusy: body.on_busy,
        ids: {
          userMessageId: newId('msg', 'user'),
          messageId: newId('msg', 'reply'),
          queuedMessageId: newId('que'),
        },
      });
      const row = { organization_id: organizationId, id: params.chat_id, project_id: params.project_id };
      await wakeConversation(deps, row, memoOf(request), interruptedId);
      const at = request.url.split('?', 1)[0]!.replace(/\/messages$/, '');
      reply.header(
        'Location',
        answer.queuedMessage === null
          ? `${at}/messages/${answer.messageId}`
          : `${at}/queue/${answer.queuedMessage.id}`,
      );
      return { data: answer };
    },
  );
  route(
    app,
    at,
    ['POST', `${messagePath}/cancel`],
    {
      summary: 'Stop a reply',
      operationId: 'cancelReply',
      audit: 'message.cancelled',
      description:
        'Stops the reply at once. Text that was already streamed stays. If messages are waiting, the queue is held until you resume it. If the reply has already ended, it is returned unchanged.',
      exists: loadReply,
      query: confirmQuery,
    },
    {
      200: envelope(cancelled).meta({
        examples: [
          {
            data: { messageId: 'msg_01kahz3v6dfyvb1s8m3h9q2w4x', status: 'cancelled', queueHeld: true },
          },
        ],
      }),
    },
    async ({ organizationId, params, request, transaction }) => {
      const where = conversationId(organizationId, params);
      const { answer, isChanged } = await cancelReply(deps.db, where, params.message_id);
      if (isChanged) {
        const row = await transaction((db) => getConversation(db, where));
        await wakeConversation(deps, row, memoOf(request), params.message_id);
      }
      return { data: answer };
    },
  );
}
