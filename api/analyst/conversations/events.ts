import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createAdmission } from '../../../data/admission.ts';
import { AppError, ValidationError } from '../../../data/errors.ts';
import { acting } from '../../../data/postgres/acting.ts';
import { followEvents } from '../../../domain/analyst/conversations/follow.ts';
import { isTokenLive } from '../../../domain/workspace/organizations/access.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { route } from '../../route.ts';
import { integerText } from '../../schemas.ts';
import { conversationPath, loadConversation } from './paths.ts';

/** Maximum number of concurrent streams per credential in this process. */
const maxStreams = 20;
const quietMs = 15_000;
/** Time to read what is already sent when the server closes. */
const lastWordsMs = 1_000;

const eventsQuery = z.object({
  after: integerText(z.int().min(0))
    .optional()
    .describe(
      'The id of the last event that you received. The header `Last-Event-ID` does the same and takes precedence. Without either, the stream starts now.',
    ),
});

const description = `Server-sent events. \`id\` is a durable number, \`event\` is the kind of event, and \`data\` is JSON.

| Event | Data |
|---|---|
| \`message.created\` | \`{messageId, message}\` |
| \`turn.started\` | \`{messageId, userMessageId, dataVersions}\` |
| \`text.delta\` | \`{messageId, partIndex, text}\`: append the text to that part |
| \`tool.started\`, \`tool.finished\`, \`chart.created\`, \`report.created\` | \`{messageId, partIndex, part}\` |
| \`part.retracted\` | \`{messageId, partIndex}\`: discard that part, because a step is being retried |
| \`turn.finished\` | \`{messageId, status, error, usage, completedAt}\` |
| \`queue.changed\` | \`{queueHeld, waiting, queuedMessage}\`: the entry that changed, or null if only the hold changed |
| \`reset\` | \`{lastEventId}\`: the events that you asked for are no longer kept (the limit is 7 days). Read the conversation again |

If you apply every event after the \`lastEventId\` of a \`GET\`, you hold what the next \`GET\` shows. Closing a stream cancels nothing.`;

export function conversationEventsRoutes(app: Routes, deps: ApiDeps): void {
  const streams = createAdmission({ ofOwner: maxStreams });
  const answers = new Set<ServerResponse>();
  const closing = new AbortController();
  // A stream has no natural end for which a closing server could wait, and one that is not read would never
  // end.
  app.addHook('preClose', async () => {
    closing.abort();
    setTimeout(() => {
      for (const answer of answers) answer.destroy();
    }, lastWordsMs).unref();
  });

  route(
    app,
    { db: deps.db, tag: 'Conversations' },
    ['GET', `${conversationPath}/events`],
    {
      summary: 'Follow a conversation',
      operationId: 'followConversation',
      description,
      exists: loadConversation,
      query: eventsQuery,
      errors: ['rate_limited'],
    },
    {
      200: {
        description: 'The event stream.',
        content: {
          'text/event-stream': {
            schema: z.string().meta({ examples: ['id: 43\nevent: turn.started\ndata: {}\n\n'] }),
          },
        },
      },
    },
    async ({ organizationId, params, query, caller, request, reply, transaction }) => {
      await transaction((db) => loadConversation(db, organizationId, params));
      // A reconnecting browser sends the header together with the original address.
      const after = lastEventId(request) ?? query.after;
      const leave = streams.enter(caller.id);
      if (leave === undefined) {
        throw new AppError(
          'rate_limited',
          `You can have up to ${maxStreams} open streams. Close one first.`,
          {
            retryAfterSeconds: 15,
          },
        );
      }
      answers.add(reply.raw);
      // Also after everything was sent: the stream of a HEAD request would otherwise continue without a
      // reader.
      const gone = new AbortController();
      reply.raw.once('close', () => {
        gone.abort();
        answers.delete(reply.raw);
        leave();
      });
      const signal = AbortSignal.any([gone.signal, closing.signal]);
      const stream = followEvents(deps, {
        organizationId,
        conversationId: params.chat_id,
        after,
        reader: { principalId: acting().principalId },
        quietMs,
        // A stream ends when its token is revoked or expires.
        mayGoOn: () => isTokenLive(deps.db, organizationId, caller.tokenId),
        signal,
      });
      return (
        reply
          .type('text/event-stream; charset=utf-8')
          .header('cache-control', 'no-store')
          .header('x-accel-buffering', 'no')
          // An ended stream must not leave a connection for which a closing server would wait.
          .header('connection', 'close')
          .send(Readable.from(stream, { objectMode: false, highWaterMark: 65_536 }))
      );
    },
  );
}

function lastEventId(request: FastifyRequest): number | undefined {
  const given = request.headers['last-event-id'];
  if (given === undefined || given === '') return undefined;
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return Number(given);
  throw new ValidationError([
    { loc: ['header', 'last-event-id'], msg: 'The id of an event must be a number.', type: 'int_parsing' },
  ]);
}
