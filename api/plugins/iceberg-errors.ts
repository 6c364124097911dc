import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AppError, problems, ValidationError } from '../../data/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * A route of the Iceberg catalog: its errors have the form of that specification, and name this type of
     * thing.
     */
    iceberg?: 'Table' | 'Namespace';
  }
}

const prefix = '/v1/iceberg/';

/** Token routes below the same address have OAuth's form of errors. */
export const isIceberg = (request: FastifyRequest): boolean =>
  request.url.startsWith(prefix) && request.routeOptions.config?.oauth !== true;

const types: Readonly<Record<number, string>> = {
  400: 'BadRequestException',
  401: 'NotAuthorizedException',
  403: 'ForbiddenException',
  405: 'UnsupportedOperationException',
  406: 'UnsupportedOperationException',
  409: 'CommitFailedException',
  429: 'TooManyRequestsException',
  500: 'InternalServerError',
  503: 'ServiceUnavailableException',
};

/** An error as the specification of Iceberg's REST catalog has it: `{error: {message, type, code}}`. */
export function sendIcebergError(reply: FastifyReply, error: AppError | ValidationError): FastifyReply {
  const message =
    error instanceof ValidationError
      ? error.faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join(' ')
      : error.message;
  const code = statusOf(error);
  return reply
    .code(code)
    .type('application/json')
    .serializer(JSON.stringify)
    .send({ error: { message, type: typeOf(reply.request, error, code), code } });
}

function statusOf(error: AppError | ValidationError): number {
  if (error instanceof ValidationError) return 400;
  // The specification's status for what a catalog doesn't offer.
  return error.code === 'unsupported_option' ? 406 : problems[error.code][0];
}

function typeOf(request: FastifyRequest, error: AppError | ValidationError, status: number): string {
  if (status === 404) return `NoSuch${request.routeOptions.config.iceberg ?? 'Namespace'}Exception`;
  if (!(error instanceof ValidationError) && error.code === 'name_taken') return 'AlreadyExistsException';
  return types[status] ?? 'BadRequestException';
}
