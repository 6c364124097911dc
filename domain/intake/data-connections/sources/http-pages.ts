import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import type { ReplicatedResource } from '../replication-policy.ts';
import { type Reached, withReached } from './http-cursor.ts';
import { urlBelow } from './http-request.ts';
import type { SourceTarget } from './source.ts';

/** Position of a page: its link, token, page number or offset; `start` is the resource itself. */
export type PagePosition =
  | { at: 'start' }
  | { at: 'link'; link: string }
  | { at: 'token'; token: string }
  | { at: 'page'; page: number }
  | { at: 'offset'; offset: number };

export function firstPosition({ pagination }: ReplicatedResource): PagePosition {
  if (pagination?.mode === 'page') return { at: 'page', page: 1 };
  if (pagination?.mode === 'offset') return { at: 'offset', offset: 0 };
  return { at: 'start' };
}

/** The address of a page of the records after `reached`. */
export function pageUrl(
  target: SourceTarget,
  resource: ReplicatedResource,
  reached: Reached | null,
  position: PagePosition,
): URL {
  if (position.at === 'link') return new URL(position.link);
  const { request_path: path, pagination, cursor } = resource;
  const { initial_query_parameters: initial, query_parameters: later = {} } = resource;
  const isLater = cursor !== undefined && reached !== null;
  const asked = isLater ? withReached(later, reached, cursor) : (initial ?? withoutPlaces(later));
  return urlBelow(target, path, {
    ...sizeParameter(pagination),
    ...asked,
    ...positionParameter(pagination, position),
  });
}

/** Without initial parameters, the first run sends those that contain no placeholder. */
function withoutPlaces(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => !value.includes('${')));
}

type Pagination = ReplicatedResource['pagination'];

function sizeParameter(pagination: Pagination): Record<string, string> {
  return pagination?.page_size_parameter === undefined
    ? {}
    : { [pagination.page_size_parameter]: String(pagination.page_size) };
}

function positionParameter(pagination: Pagination, position: PagePosition): Record<string, string> {
  switch (position.at) {
    case 'token':
      return { [pagination?.token_parameter ?? 'page_token']: position.token };
    case 'page':
      return { [pagination?.page_parameter ?? 'page']: String(position.page) };
    case 'offset':
      return { [pagination?.offset_parameter ?? 'offset']: String(position.offset) };
    default:
      return {};
  }
}

/**
 * Position of the next page; null after the last. With page numbers and offsets, an empty page is the last.
 */
export function nextPosition(
  target: SourceTarget,
  resource: ReplicatedResource,
  page: { next: string | number | null; records: number; url: URL; position: PagePosition },
): PagePosition | null {
  const { next, records, url, position } = page;
  if (position.at === 'page') return records === 0 ? null : { at: 'page', page: position.page + 1 };
  if (position.at === 'offset')
    return records === 0 ? null : { at: 'offset', offset: position.offset + records };
  if (next === null) return null;
  if (resource.pagination?.mode === 'next_token') return { at: 'token', token: String(next) };
  return { at: 'link', link: linkOf(target, String(next), url) };
}

/**
 * Positions of this page and the next `count`, if they can be known before the pages are read; otherwise
 * empty.
 */
export function positionsAhead(
  position: PagePosition | null,
  pageRecords: number,
  count: number,
): PagePosition[] {
  const places = Array.from({ length: count > 0 ? count + 1 : 0 }, (_, index) => index);
  if (position?.at === 'page') return places.map((index) => ({ at: 'page', page: position.page + index }));
  if (position?.at === 'offset')
    return places.map((index) => ({ at: 'offset', offset: position.offset + index * pageRecords }));
  return [];
}

const maxLinkCharacters = 16_384;

function linkOf(target: SourceTarget, next: string, url: URL): string {
  const link = next.length > maxLinkCharacters ? null : URL.parse(next, url.href);
  if (link === null)
    throw new RemoteFailure('request', "The source's link to the next page isn't a valid address.");
  if (link.origin !== new URL(String(target.config['base_url'])).origin)
    throw new RemoteFailure(
      'request',
      "The source's link to the next page leads to a different server than base_url.",
    );
  return link.href;
}
