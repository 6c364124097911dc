import type { FastifyRequest } from 'fastify';
import type { ApiDeps } from './deps.ts';

/** The public address of this service: as configured, otherwise as in the request. */
export const serviceUrl = (
  { publicUrl }: Pick<ApiDeps, 'publicUrl'>,
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
): string => publicUrl ?? `${protocol}://${host}`;
