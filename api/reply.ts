import type { FastifyReply } from 'fastify';

/** Aborts when the client goes away before it has its answer: what is done for it need not go on. */
export function clientGone(reply: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort();
  });
  return gone.signal;
}

/** Has an answer downloaded under a name of whatever characters. */
export function attachment(name: string): string {
  return `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
}

/** Sends what is JSON text already: exact numbers must not pass through JavaScript again. */
export function sendText(reply: unknown, text: string): never {
  return (reply as FastifyReply)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => body as string)
    .send(text) as never;
}
