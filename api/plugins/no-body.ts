import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, ValidationError } from '../../data/errors.ts';

/**
 * Refuses a body that a route does not take, so that nothing sent is ignored; an empty one and `{}` pass,
 * because some clients always send them. A body of GET or HEAD has no meaning in HTTP (RFC 9110 §9.3.1) and
 * is not read.
 */
export function noBody(app: FastifyInstance): void {
  // Any content type except JSON: refused without reading the bytes.
  app.addContentTypeParser('*', (request, payload, done) => {
    if (takesBody(request)) {
      const detail =
        "This route doesn't accept the content type of the request. See its description in /openapi.json.";
      return done(new AppError('unsupported_media_type', detail));
    }
    untilFirstByte(payload as unknown as Readable, (isEmpty) => done(isEmpty ? null : unwanted()));
  });

  app.addHook('preValidation', async (request) => {
    const { body } = request;
    if (body === undefined || body === null || takesBody(request)) return;
    if (typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0) return;
    throw unwanted();
  });
}

/** If the route takes no body, an unreadable body is answered with that error instead. */
export function asUnwantedBody(
  request: FastifyRequest,
  error: AppError | ValidationError,
): AppError | ValidationError {
  if (takesBody(request)) return error;
  const isOfBody =
    error instanceof ValidationError
      ? error.faults.every(({ loc }) => loc[0] === 'body')
      : error.code === 'unsupported_media_type' || error.code === 'body_too_large';
  return isOfBody ? unwanted() : error;
}

function takesBody(request: FastifyRequest): boolean {
  return (request.routeOptions.schema as { body?: unknown } | undefined)?.body !== undefined;
}

function unwanted(): AppError {
  return new AppError('invalid_request', "This route doesn't accept a body. Send the request without one.");
}

function untilFirstByte(payload: Readable, done: (isEmpty: boolean) => void): void {
  const end = () => stop(true);
  const data = (chunk: Buffer) => chunk.length > 0 && stop(false);
  function stop(isEmpty: boolean): void {
    payload.off('data', data).off('end', end).off('error', end);
    done(isEmpty);
  }
  payload.on('data', data).on('end', end).on('error', end);
}
