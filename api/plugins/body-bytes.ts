import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';
import { threadedFromBytes } from '../../domain/tables/row-input/reading/reader.ts';
import { isDecompressionFault } from '../../packages/file-reader/index.ts';

/** Memory limits of bodies, and the minimum rate at which they must arrive. */
export interface BodyRules {
  /** Bytes of all bodies that are arriving or being processed. */
  totalBytes: number;
  /** Limit per organization, or per address if there is none. */
  shareBytes: number;
  /** In each window at least this much must arrive, or the rest: a stalled body is refused. */
  windowMs: number;
  windowBytes: number;
}

export const bodyRules: BodyRules = {
  totalBytes: 536_870_912,
  shareBytes: 134_217_728,
  windowMs: 30_000,
  windowBytes: 65_536,
};

/**
 * The memory of a body: its bytes; if it becomes JavaScript values, also its text, once while it is parsed
 * and once while it is used, and its values, up to their limit.
 */
function costOf(bytes: number, isParsed: boolean): number {
  return isParsed ? bytes * 4 + Math.min(bytes * 6, maxValueBytes) : bytes;
}
const maxValueBytes = 6_291_456;

export interface BodyBytes {
  /**
   * Reads the body, which is counted until `release`. Throws if there are too many bytes at once, or they
   * arrive too slowly.
   */
  read(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<Buffer>;
  /** For a completed request: its body is no longer in memory. */
  release(request: FastifyRequest): void;
}

export function createBodyBytes(rules: BodyRules): BodyBytes {
  const byOwner = new Map<string, number>();
  const held = new WeakMap<FastifyRequest, { owner: string; bytes: number }>();
  let total = 0;

  function hasRoom(owner: string, bytes: number): boolean {
    return total + bytes <= rules.totalBytes && (byOwner.get(owner) ?? 0) + bytes <= rules.shareBytes;
  }

  function count(owner: string, bytes: number): void {
    total += bytes;
    const own = (byOwner.get(owner) ?? 0) + bytes;
    if (own === 0) byOwner.delete(owner);
    else byOwner.set(owner, own);
  }

  return {
    release(request) {
      const { owner, bytes } = held.get(request) ?? { owner: '', bytes: 0 };
      held.delete(request);
      if (bytes > 0) count(owner, -bytes);
    },
    async read(request, payload) {
      const { bodyLimit, config } = request.routeOptions;
      const owner = ownerOf(request);
      const isParsed = config.rawBody !== true;
      // No more than the share: a body that the route takes has room when nothing else is under way.
      const cost = (bytes: number) => Math.min(costOf(bytes, isParsed), rules.shareBytes);
      const isPacked = payload !== request.raw;
      const announced = isPacked ? 0 : Number(request.headers['content-length'] ?? 0);
      if (announced > bodyLimit) throw tooLarge();
      if (!hasRoom(owner, cost(announced))) throw overloaded();
      const counted = { owner, bytes: 0 };
      held.set(request, counted);
      const body = collect(announced);
      let bytes = 0;
      try {
        for await (const part of atPace(payload, rules)) {
          bytes += part.length;
          if (bytes > bodyLimit) throw tooLarge();
          const more = cost(bytes) - counted.bytes;
          if (!hasRoom(owner, more)) throw overloaded();
          counted.bytes += more;
          count(owner, more);
          body.add(part);
        }
      } catch (error) {
        throw isDecompressionFault(error) ? undecodable() : error;
      } finally {
        // What is left of it is not unpacked.
        if (isPacked) (payload as Readable).destroy();
      }
      return body.whole();
    },
  };
}

interface Arriving {
  add(part: Buffer): void;
  whole(): Buffer;
}

/** A large body of known length is assembled as it arrives; memory is only committed as it is written. */
function collect(announced: number): Arriving {
  const parts: Buffer[] = [];
  if (announced < threadedFromBytes)
    return {
      add: (part) => void parts.push(part),
      whole: () => (parts.length === 1 ? parts[0]! : Buffer.concat(parts)),
    };
  const body = Buffer.allocUnsafeSlow(announced);
  let length = 0;
  return {
    add: (part) => {
      length += part.copy(body, length);
    },
    whole: () => body.subarray(0, length),
  };
}

/** The owner to whose share of bytes and threads a request counts. */
export function ownerOf({ caller, ip }: FastifyRequest): string {
  return caller?.organizationId ?? `address ${ip}`;
}

async function* atPace(payload: NodeJS.ReadableStream, rules: BodyRules): AsyncGenerator<Buffer> {
  const iterator = (payload as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let windowEndsMs = Date.now() + rules.windowMs;
  let inWindow = 0;
  for (;;) {
    const next = await within(iterator.next(), windowEndsMs - Date.now());
    if (next.done === true) return;
    inWindow += next.value.length;
    if (inWindow >= rules.windowBytes) {
      inWindow = 0;
      windowEndsMs = Date.now() + rules.windowMs;
    }
    yield next.value;
  }
}

async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(stalled()), Math.max(0, timeoutMs));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(): AppError {
  return new AppError('body_too_large', 'The request body is larger than this route accepts.');
}

function undecodable(): AppError {
  return new AppError('invalid_request', "The body isn't compressed as its content-encoding says.");
}

function stalled(): AppError {
  return new AppError('invalid_request', 'The body arrives too slowly. Send it again.');
}

function overloaded(): AppError {
  return new AppError(
    'overloaded',
    'Too many bytes are being received right now. Send the body again shortly.',
    {
      retryAfterSeconds: 2,
    },
  );
}
