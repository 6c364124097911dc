import type { FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';

/** How much of the process's memory bodies may take, and what is asked of those who send them. */
export interface BodyRules {
  /** Bytes of all bodies that are arriving or being worked on. */
  totalBytes: number;
  /** Of one organization, or of one address where none is known. */
  shareBytes: number;
  /** In each window at least so much arrives, or the rest: a body that stalls is cut. */
  windowMs: number;
  windowBytes: number;
}

export const bodyRules: BodyRules = {
  totalBytes: 536_870_912,
  shareBytes: 134_217_728,
  windowMs: 30_000,
  windowBytes: 65_536,
};

/** A body that becomes JavaScript values takes a multiple of its bytes. */
const parsedWeight = 8;

export interface BodyBytes {
  /** The body, counted until `release`. Throws where there is too much at once, or it comes too slowly. */
  read(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<Buffer>;
  /** For a request that was worked on: nothing of its body is held any more. */
  release(request: FastifyRequest): void;
  /** Bytes that are counted now. */
  underWay(): number;
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
    underWay: () => total,
    release(request) {
      const { owner, bytes } = held.get(request) ?? { owner: '', bytes: 0 };
      held.delete(request);
      if (bytes > 0) count(owner, -bytes);
    },
    async read(request, payload) {
      const { bodyLimit, config } = request.routeOptions;
      const owner = request.caller?.organizationId ?? `address ${request.ip}`;
      const weight = config.rawBody === true ? 1 : parsedWeight;
      const announced = Number(request.headers['content-length'] ?? 0);
      if (announced > bodyLimit) throw cut(request, tooLarge());
      if (!hasRoom(owner, announced * weight)) throw cut(request, overloaded());
      const counted = { owner, bytes: 0 };
      held.set(request, counted);
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of atPace(payload, rules)) {
        bytes += part.length;
        if (bytes > bodyLimit) throw cut(request, tooLarge());
        if (!hasRoom(owner, part.length * weight)) throw cut(request, overloaded());
        counted.bytes += part.length * weight;
        count(owner, part.length * weight);
        parts.push(part);
      }
      return parts.length === 1 ? parts[0]! : Buffer.concat(parts, bytes);
    },
  };

  function cut(request: FastifyRequest, error: AppError): AppError {
    closing.add(request);
    return error;
  }
}

/** Requests whose body was not read to its end: their connections end with the answer. */
const closing = new WeakSet<FastifyRequest>();

export function endsConnection(request: FastifyRequest): boolean {
  return closing.has(request);
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
  return new AppError('body_too_large', 'The request body is larger than this route takes.');
}

function stalled(): AppError {
  return new AppError('invalid_request', 'The body arrives too slowly; send it again.');
}

function overloaded(): AppError {
  return new AppError(
    'overloaded',
    'Too many bytes are under way at this moment; send the body again shortly.',
    {
      retryAfterSeconds: 2,
    },
  );
}
