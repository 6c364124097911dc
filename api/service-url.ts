import type { FastifyRequest } from 'fastify';
import type { ApiDeps } from './deps.ts';

/** Where others reach this service: as it is told, else as the request did. */
export const serviceUrl = (
  { publicUrl }: Pick<ApiDeps, 'publicUrl'>,
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
): string => publicUrl ?? `${protocol}://${host}`;
