import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode, problems, ValidationError } from '../../data/errors.ts';
import { isTransientFailure } from '../../data/lake/engine/failure.ts';
import { isIceberg, sendIcebergError } from './iceberg-errors.ts';
import { asUnwantedBody } from './no-body.ts';

const fastifyCodes: Record<string, { code: ErrorCode; detail: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    detail:
      "This route doesn't accept the content type of the request. See its description in /openapi.json.",
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'body_too_large',
    detail: 'The request body is larger than this route accepts.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_request',
    detail: 'The length of the body differs from the length in its header.',
  },
  FST_ERR_BAD_URL: { code: 'invalid_request', detail: "The path isn't a valid URL path." },
};

/** The only place where errors become answers, and the only one that logs them. */
export function errors(app: FastifyInstance): void {
  app.setErrorHandler(async (error, request, reply) => {
    const known = toKnownError(error);
    if (known === undefined) {
      // Work that was stopped because its client has left is no fault; nobody reads what is sent.
      const hasLeft = reply.raw.destroyed && (error as Error).name === 'AbortError';
      if (!hasLeft) request.log.error({ err: error }, 'request failed');
      const fault = new AppError(
        'internal_error',
        `Something went wrong. Quote request ${request.id} to the operator.`,
        request.routeOptions.config.oauth === true ? { extensions: { error: 'server_error' } } : {},
      );
      return sendProblem(reply, fault);
    }
    const answer = asOAuthError(request, await pathFaultFirst(request, asUnwantedBody(request, known)));
    if (answer instanceof ValidationError) {
      if (isIceberg(request)) return sendIcebergError(reply, answer);
      return reply
        .code(422)
        .type('application/json')
        .serializer(JSON.stringify)
        .send({ detail: answer.faults });
    }
    if (problems[answer.code][0] >= 500) logUnserved(request, answer);
    return sendProblem(reply, answer);
  });
}

/**
 * Logs the cause of an error if there is one; our own refusals, which may occur thousands of times a minute,
 * are logged briefly.
 */
function logUnserved({ log }: FastifyRequest, answer: AppError): void {
  log.warn(
    answer.cause === undefined ? { code: answer.code, reason: answer.message } : { err: answer },
    'request could not be served',
  );
}

/** An error that callers may see; undefined for a fault of ours. */
export function toKnownError(error: unknown): AppError | ValidationError | undefined {
  if (error instanceof AppError || error instanceof ValidationError) return error;
  if (error instanceof RangeError && error.message.includes('call stack')) {
    return new ValidationError([
      { loc: ['body'], msg: 'The body is nested too deeply.', type: 'value_error' },
    ]);
  }
  const { code, statusCode } = error as FastifyError;
  if (unstorableText.has(code)) {
    return new ValidationError([
      { loc: ['body'], msg: "Text can't contain the NUL character.", type: 'value_error' },
    ]);
  }
  const known = fastifyCodes[code];
  if (known !== undefined) return new AppError(known.code, known.detail);
  if (isDatabaseAway(error)) {
    return new AppError('storage_unavailable', "The metadata store didn't answer. Try again shortly.", {
      cause: error,
      retryAfterSeconds: 2,
    });
  }
  if (isTransientFailure(error)) {
    return new AppError('storage_unavailable', "The lake didn't answer. Try again shortly.", {
      cause: error,
      retryAfterSeconds: 2,
    });
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('invalid_request', (error as Error).message);
  }
  return undefined;
}

/** PostgreSQL's errors for text that it cannot store. */
const unstorableText = new Set(['22021', '22P05']);

const connectionCodes = new Set([
  '57014',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '08006',
  '08003',
  '53300',
]);

/** Whether no connection to PostgreSQL was made. */
export function isUnreached(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === 'ECONNREFUSED' || message === 'timeout exceeded when trying to connect' || code === '53300';
}

function isDatabaseAway(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    (typeof code === 'string' && connectionCodes.has(code)) ||
    (typeof message === 'string' &&
      /connection terminated|not queryable|timeout exceeded when trying to connect/i.test(message))
  );
}

/**
 * Faults of a body are reported only if the path names something that the caller may write: an id of another
 * organization is a 404 first, and a missing grant a 403.
 */
async function pathFaultFirst(
  request: FastifyRequest,
  error: AppError | ValidationError,
): Promise<AppError | ValidationError> {
  const isInputFault =
    error instanceof ValidationError ||
    ['body_too_large', 'unsupported_media_type', 'invalid_request'].includes(error.code);
  const exists = request.routeOptions.config.exists;
  if (!isInputFault || exists === undefined || request.caller === undefined) return error;
  try {
    await exists(request.caller.organizationId, request.params as Record<string, string>, request.caller);
    await request.server.refuseUngranted(request);
    return error;
  } catch (earlier) {
    return earlier instanceof AppError ? earlier : error;
  }
}

/** Token routes answer every error as a problem with the additional member `error` of RFC 6749. */
function asOAuthError(
  request: FastifyRequest,
  error: AppError | ValidationError,
): AppError | ValidationError {
  if (request.routeOptions.config.oauth !== true) return error;
  if (error instanceof ValidationError) {
    return new AppError('invalid_request', error.message, { extensions: { error: 'invalid_request' } });
  }
  if (error.extensions['error'] !== undefined) return error;
  // Nothing is wrong with a request that comes too often, or while a store is away.
  const [status] = problems[error.code];
  const isLater = status === 429 || status === 503;
  const extensions = { ...error.extensions, error: isLater ? 'temporarily_unavailable' : 'invalid_request' };
  return new AppError(error.code, error.message, { ...error, extensions, cause: error.cause });
}

export function sendProblem(reply: FastifyReply, error: AppError): FastifyReply {
  const [status] = problems[error.code];
  if (status === 401) reply.header('WWW-Authenticate', challenge(error, reply.request));
  const retryAfter = error.retryAfterSeconds ?? (status === 503 || status === 429 ? 2 : undefined);
  if (retryAfter !== undefined) reply.header('Retry-After', String(retryAfter));
  if (isIceberg(reply.request)) return sendIcebergError(reply, error);
  return reply
    .code(status)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(problemOf(error, reply.request.id));
}

function problemOf(error: AppError, requestId: string) {
  const [status, title] = problems[error.code];
  return {
    type: `/problems/${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...error.extensions,
  };
}

const unreadable: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive. Send it again.',
  HPE_HEADER_OVERFLOW: 'The headers of the request are larger than the server accepts.',
};

/** Answers invalid HTTP, or a request that never arrives completely, and closes its connection. */
export function answerUnreadable(
  error: { code?: string },
  socket: Socket,
  headers: Readonly<Record<string, string>>,
): void {
  // An answer in progress cannot be withdrawn; Node attaches it to its socket.
  const isAnswering = (socket as { _httpMessage?: unknown })._httpMessage != null;
  if (error.code === 'ECONNRESET' || isAnswering || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const detail = unreadable[error.code ?? ''] ?? "The request isn't valid HTTP.";
  const body = JSON.stringify(problemOf(new AppError('invalid_request', detail), requestId));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Not `end`: the client may never close its half of the connection.
  socket.destroySoon();
}

function challenge(error: AppError, request: FastifyRequest): string {
  if (error.code === 'invalid_client') return 'Basic realm="analytics-workspace"';
  const { resourceMetadata } = request.routeOptions.config;
  return [
    'Bearer realm="analytics-workspace"',
    ...(error.code === 'unauthorized'
      ? []
      : ['error="invalid_token"', `error_description="${problems[error.code][1]}"`]),
    ...(resourceMetadata === undefined ? [] : [`resource_metadata="${resourceMetadata(request)}"`]),
  ].join(', ');
}
