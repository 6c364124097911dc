import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpServer } from './sources.ts';

export interface SourceRecord {
  id: number;
  at: string;
  [field: string]: unknown;
}

/** What the source does instead of answering, once for each that is pushed; undefined answers normally. */
export type Misdeed = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A source of records that pages by links, starting from a cursor:
 * `/records?since=<at>&after=<id>&limit=<n>&skip=<n>`. It sorts by (at, id), and returns records at `since`
 * or later, as sources do that cannot identify late arrivals.
 */
export async function recordSource(records: SourceRecord[], misdeeds: (Misdeed | undefined)[] = []) {
  const asked: URL[] = [];
  const times: number[] = [];
  const { base } = await httpServer((request, response) => {
    const url = new URL(request.url!, base);
    asked.push(url);
    times.push(Date.now());
    const misdeed = misdeeds.shift();
    if (misdeed !== undefined) {
      misdeed(request, response);
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(pageOf(records, url)));
  });
  return { base, records, misdeeds, asked, times };
}

export function pageOf(records: readonly SourceRecord[], url: URL) {
  const since = url.searchParams.get('since') ?? '';
  const limit = Number(url.searchParams.get('limit') ?? 100);
  const skip = Number(url.searchParams.get('skip') ?? 0);
  const found = records
    .filter(({ at }) => at >= since)
    .toSorted((a, b) => (a.at === b.at ? a.id - b.id : a.at < b.at ? -1 : 1));
  const next = new URL(url);
  next.searchParams.set('skip', String(skip + limit));
  return {
    items: found.slice(skip, skip + limit),
    links: { next: skip + limit < found.length ? `${next.pathname}${next.search}` : null },
  };
}

/** The policy of such a source. */
export function recordPolicy(more: object = {}, limits: object = {}) {
  return {
    version: 1,
    limits,
    resources: [
      {
        request_path: '/records',
        query_parameters: { since: '${cursor}', after: '${tie_breaker}' },
        cursor: { field: 'at', format: 'iso8601', tie_breaker_field: 'id', tie_breaker_format: 'integer' },
        pagination: {
          mode: 'next_link',
          data_pointer: '/items',
          next_pointer: '/links/next',
          page_size: 2,
          page_size_parameter: 'limit',
        },
        ...more,
      },
    ],
  };
}
