import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyReply } from 'fastify';

/** Of a request that another one makes inside of this process: it has no connection that could close. */
export const insideOf = new AsyncLocalStorage<AbortSignal>();

/** Aborts if the client disconnects before its answer is complete, so that the work can stop. */
export function clientGone(reply: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.closed) gone.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort();
  });
  const outer = insideOf.getStore();
  return outer === undefined ? gone.signal : AbortSignal.any([gone.signal, outer]);
}

/**
 * Makes an answer a download under a name of any characters, by RFC 6266: the name in UTF-8, preceded by an
 * ASCII form for clients that read only that. In the latter, some take a `%` for the beginning of an escape.
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

/** Sends JSON text unchanged: exact numbers must not be parsed by JavaScript again. */
export function sendText(reply: unknown, text: string): never {
  return (reply as FastifyReply)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => body as string)
    .send(text) as never;
}
