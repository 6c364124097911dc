import type { FastifyReply } from 'fastify';

/** Aborts when the client goes away before it has its answer: what is done for it need not go on. */
export function clientGone(reply: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort();
  });
  return gone.signal;
}

/**
 * Has an answer downloaded under a name of whatever characters, as RFC 6266 says it: the name itself in
 * UTF-8, before it what of it is ASCII for whoever reads that only. Some take a `%` in the latter for the
 * beginning of an escape.
 */
export function attachment(name: string): string {
  const whole = name.toWellFormed().replaceAll(/\p{Cc}|[/\\]/gu, '_');
  const ascii = whole
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^ -~]|[%"]/gu, '_');
  const escaped = encodeURIComponent(whole).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${escaped}`;
}

/** Sends what is JSON text already: exact numbers must not pass through JavaScript again. */
export function sendText(reply: unknown, text: string): never {
  return (reply as FastifyReply)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => body as string)
    .send(text) as never;
}
