import type { components } from '../../../../clients/typescript/src/index.ts';

export type Policy = components['schemas']['HttpReplicationInput'];
export type HttpResource = components['schemas']['HttpResourceInput'];
export type HttpCursor = NonNullable<HttpResource['cursor']>;
export type HttpPagination = NonNullable<HttpResource['pagination']>;

const formats = ['iso8601', 'epoch_seconds', 'epoch_millis', 'integer', 'string'];

/** The values of a member; without any it is a text, or a number. */
export type MemberKind = 'text' | 'number' | readonly string[];

/** Members, in the order in which they are shown. */
export const limitKinds: Record<keyof NonNullable<Policy['limits']>, MemberKind> = {
  max_concurrency: 'number',
  requests_per_second: 'number',
  requests_per_minute: 'number',
  requests_per_day: 'number',
  max_response_bytes_per_request: 'number',
  response_bytes_per_hour: 'number',
};
export const cursorKinds: Record<keyof HttpCursor, MemberKind> = {
  field: 'text',
  format: formats,
  literal_style: ['raw', 'single_quoted', 'double_quoted'],
  bootstrap_mode: ['full', 'from_now'],
  tie_breaker_field: 'text',
  tie_breaker_format: formats,
};
export const paginationKinds: Record<keyof HttpPagination, MemberKind> = {
  mode: ['none', 'next_link', 'next_token', 'page', 'offset'],
  data_pointer: 'text',
  next_pointer: 'text',
  page_size: 'number',
  page_size_parameter: 'text',
  page_parameter: 'text',
  offset_parameter: 'text',
  token_parameter: 'text',
  max_pages_per_run: 'number',
};

/** A resource as it is edited; its key stays while its path changes. */
export interface EditedResource {
  key: number;
  resource: HttpResource;
}

/** A map with a member set; undefined takes it out, and a map without members is none. */
export function withMember<Map extends object>(
  map: Map | undefined,
  name: keyof Map,
  value: unknown,
): Map | undefined {
  const next = { ...map, [name]: value } as Map;
  if (value === undefined) delete next[name];
  return Object.keys(next).length === 0 ? undefined : next;
}
