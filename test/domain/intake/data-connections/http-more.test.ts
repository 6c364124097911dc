import { expect, test } from 'vitest';
import { showsMore } from '../../../../domain/intake/data-connections/sources/http-more.ts';

test.each<[object | string[], string | null]>([
  [{ has_more: true }, null],
  [{ hasMore: true }, null],
  [{ data: [], pagination: { has_next_page: true } }, null],
  [{ items: [], nextPageToken: 'abc' }, null],
  [{ value: [], '@odata.nextLink': 'https://example.com/?$skip=10' }, null],
  [{ next: 'https://example.com/?page=2', previous: null }, null],
  [{ _links: { self: { href: '/a' }, next: { href: '/b' } } }, null],
  [{ meta: { next_page: 2 } }, null],
  [{ response_metadata: { next_cursor: 'dXNlcjp' } }, null],
  [{ nextRecordsUrl: '/services/data/query/01g' }, null],
  [
    [],
    '<https://api.example.com/items?page=2>; rel="next", <https://api.example.com/items?page=9>; rel="last"',
  ],
  [[], '</items?page=2>; rel=next'],
  [[], '</items?page=2>; title="x"; rel="first next"'],
])('%j with the header %j shows more', (answer, link) => {
  expect(showsMore(answer as never, link)).toBe(true);
});

test.each<[object | string[] | string, string | null]>([
  [{ has_more: false, next: null }, null],
  [{ next: '' }, null],
  [{ meta: { next_page: 0 } }, null],
  [{ response_metadata: { next_cursor: '' } }, null],
  [{ _links: { self: { href: '/a' } } }, null],
  // A record's own fields say nothing of pages.
  [[{ next: 'step 2', has_more: true }], null],
  [{ items: [{ next: 'step 2' }] }, null],
  [{ id: 1, name: 'one' }, null],
  ['next', null],
  [[], '<https://api.example.com/items?page=1>; rel="prev"'],
  [[], '<https://api.example.com/next>; rel="last"'],
])('%j with the header %j does not', (answer, link) => {
  expect(showsMore(answer as never, link)).toBe(false);
});
