import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../../data/errors.ts';
import type { OnPiece } from '../../../domain/tables/query/stream/contract.ts';
import type { StreamFormat } from '../../../packages/row-formats/index.ts';
import { streamTypes } from './accept.ts';

/** A reader that takes nothing for so long is disconnected: meanwhile it holds a process. */
const mostIdleMs = 30_000;
/** So that a reader is not waited for after each read of the process's pipe, of 65,536 bytes. */
const bufferedBytes = 524_288;

const contentTypes: Record<StreamFormat, string> = { ...streamTypes, csv: 'text/csv; charset=utf-8' };

/**
 * Sends what `produce` hands on as a download. An error before the first piece is thrown, and answered as any
 * other; one after it ends the connection before the end of the answer.
 */
export async function sendStream(
  reply: FastifyReply,
  { id, format }: { id: string; format: StreamFormat },
  produce: (onPiece: OnPiece) => Promise<unknown>,
): Promise<FastifyReply> {
  const { source, onPiece, end } = pushedBytes();
  const begun = Promise.withResolvers<void>();
  const produced = produce((piece) => {
    begun.resolve();
    return onPiece(piece);
  });
  produced.then(
    () => {
      begun.resolve();
      end();
      disconnectIfUnread(reply);
    },
    (error: Error) => {
      begun.reject(error);
      source.destroy(error);
    },
  );
  await begun.promise;
  return reply
    .type(contentTypes[format])
    .header('content-disposition', `attachment; filename="${id}.${format}"`)
    .header('x-query-execution-id', id)
    .header('cache-control', 'no-store')
    .send(source);
}

/** Bytes that are pushed, no more than the reader takes. */
function pushedBytes(): { source: Readable; onPiece: OnPiece; end: () => void } {
  let wake: (() => void) | undefined;
  const source = new Readable({ highWaterMark: bufferedBytes, read: () => wake?.() });
  source.on('close', () => wake?.());
  // Fastify answers for it once it is sent; before, its error is thrown.
  source.on('error', () => undefined);
  const isWanted = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(unread()), mostIdleMs);
      wake = () => {
        clearTimeout(timer);
        if (source.destroyed) reject(unread());
        else resolve();
      };
    });
  const onPiece: OnPiece = async ({ bytes }) => {
    if (source.destroyed) throw unread();
    if (!source.push(bytes)) await isWanted();
  };
  return { source, onPiece, end: () => void source.push(null) };
}

/** The statement is over, but a reader that never reads the rest would keep its connection. */
function disconnectIfUnread({ raw }: FastifyReply): void {
  const timer = setTimeout(() => raw.destroy(), mostIdleMs);
  raw.once('close', () => clearTimeout(timer));
}

const unread = () => new AppError('query_failed', "The result wasn't read to its end.");
