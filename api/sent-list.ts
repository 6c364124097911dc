import type { FastifyRequest } from 'fastify';
import type { SentList } from '../domain/tables/row-input/reading/sent-list.ts';

/** The bytes of a `rawBody` route, for parsing its list of rows or records. */
export function sentListOf(
  request: Pick<FastifyRequest, 'body'>,
  list: SentList['list'],
  members: readonly string[] = [],
): SentList {
  const { body } = request;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  return { bytes, list, min: list === 'rows' ? 1 : 0, members };
}
