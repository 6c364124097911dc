import type { ValidationFault } from '../../../data/errors.ts';
import { limits } from '../../workspace/limits/limits.ts';

export const paginationModes = ['none', 'next_link', 'next_token', 'page', 'offset'] as const;
export const cursorFormats = ['iso8601', 'epoch_seconds', 'epoch_millis', 'integer', 'string'] as const;
export const literalStyles = ['raw', 'single_quoted', 'double_quoted'] as const;
export const bootstrapModes = ['full', 'from_now'] as const;

/**
 * Column with a record's position in the order of reading, present until only the last record of each key is
 * kept.
 */
export const placeColumn = '__place_of_record__';

/** How an HTTP source is read, with the field names of the API; returned as it was given. */
export interface HttpReplication {
  version?: number | undefined;
  validate_server_address?: boolean | undefined;
  limits?: ReplicationLimits | undefined;
  resources?: readonly ReplicatedResource[] | undefined;
}

export type ReplicationLimits = { [Name in keyof typeof limitRanges]?: number | undefined };

export interface ReplicatedResource {
  request_path: string;
  query_parameters?: Readonly<Record<string, string>> | undefined;
  initial_query_parameters?: Readonly<Record<string, string>> | undefined;
  field_mappings?: Readonly<Record<string, string>> | undefined;
  json_string_fields?: readonly string[] | undefined;
  cursor?:
    | {
        field: string;
        format: (typeof cursorFormats)[number];
        literal_style?: (typeof literalStyles)[number] | undefined;
        bootstrap_mode?: (typeof bootstrapModes)[number] | undefined;
        tie_breaker_field?: string | undefined;
        tie_breaker_format?: (typeof cursorFormats)[number] | undefined;
      }
    | undefined;
  pagination?:
    | {
        mode: (typeof paginationModes)[number];
        data_pointer?: string | undefined;
        next_pointer?: string | undefined;
        page_size?: number | undefined;
        page_size_parameter?: string | undefined;
        page_parameter?: string | undefined;
        offset_parameter?: string | undefined;
        token_parameter?: string | undefined;
        max_pages_per_run?: number | undefined;
      }
    | undefined;
}

/** The column that a field of a record becomes. */
export const columnOf = ({ field_mappings: mappings = {} }: ReplicatedResource, field: string): string =>
  // Fields may be called as what every object has, such as `constructor`.
  Object.hasOwn(mappings, field) ? mappings[field]! : field;

/** The column that distinguishes records of one cursor: their key where no other is given. */
export function tieBreakerColumn(resource: ReplicatedResource): string | undefined {
  const field = resource.cursor?.tie_breaker_field;
  return field === undefined ? undefined : columnOf(resource, field);
}

/** Lowest and highest value of each limit. */
export const limitRanges = {
  max_concurrency: [1, 32],
  max_response_bytes_per_request: [1_024, 1_073_741_824],
  requests_per_second: [1, 1_000],
  requests_per_minute: [1, 60_000],
  requests_per_day: [1, 10_000_000],
  response_bytes_per_hour: [1_024, 1_099_511_627_776],
} as const;

export const maxResources = limits.connections.policyResources.most;

/** Faults that involve more than one field: missing counterparts and duplicates. */
export function replicationFaults(policy: HttpReplication): ValidationFault[] {
  const paths = new Set<string>();
  return (policy.resources ?? []).flatMap((resource, index) => {
    const loc = ['body', 'snapshot_config', 'http_replication', 'resources', index];
    const faults = resourceFaults(resource).map(({ place, msg, type = 'value_error' }) => ({
      loc: [...loc, ...place],
      msg,
      type,
    }));
    if (paths.has(resource.request_path))
      faults.push({
        loc: [...loc, 'request_path'],
        msg: 'Another resource already has this request_path. Each resource needs its own, because datasets refer to it.',
        type: 'value_error',
      });
    paths.add(resource.request_path);
    return faults;
  });
}

interface Fault {
  place: string[];
  msg: string;
  type?: string;
}

function resourceFaults(resource: ReplicatedResource): Fault[] {
  const { cursor, pagination } = resource;
  const faults = placeholderFaults(resource);
  const columns = Object.values(resource.field_mappings ?? {});
  if (new Set(columns).size < columns.length)
    faults.push({ place: ['field_mappings'], msg: 'Two fields are mapped to the same column.' });
  if (columns.includes(placeColumn))
    faults.push({
      place: ['field_mappings'],
      msg: `The service uses the name ${placeColumn} itself. Choose another name.`,
    });
  if (cursor?.tie_breaker_field !== undefined && cursor.tie_breaker_format === undefined)
    faults.push({
      place: ['cursor', 'tie_breaker_format'],
      msg: 'Set tie_breaker_format, because tie_breaker_field is set.',
      type: 'missing',
    });
  if (cursor?.tie_breaker_format !== undefined && cursor.tie_breaker_field === undefined)
    faults.push({
      place: ['cursor', 'tie_breaker_field'],
      msg: 'Set tie_breaker_field, because tie_breaker_format is set.',
      type: 'missing',
    });
  if (cursor?.bootstrap_mode === 'from_now' && (cursor.format === 'integer' || cursor.format === 'string'))
    faults.push({
      place: ['cursor', 'bootstrap_mode'],
      msg: `A cursor of the format ${cursor.format} cannot start from now, because it isn't a time.`,
    });
  const needsNext = pagination?.mode === 'next_link' || pagination?.mode === 'next_token';
  if (needsNext && pagination.next_pointer === undefined)
    faults.push({
      place: ['pagination', 'next_pointer'],
      msg: `Pagination by ${pagination.mode} needs next_pointer, which finds the next page in an answer.`,
      type: 'missing',
    });
  if (pagination?.page_size_parameter !== undefined && pagination.page_size === undefined)
    faults.push({
      place: ['pagination', 'page_size'],
      msg: 'Set page_size, because page_size_parameter is set.',
      type: 'missing',
    });
  return faults;
}

/** `${cursor}` and `${tie_breaker}` are replaced by what the last run reached; the first run has neither. */
function placeholderFaults({ cursor, ...resource }: ReplicatedResource): Fault[] {
  const known = new Map([
    ['cursor', cursor !== undefined],
    ['tie_breaker', cursor?.tie_breaker_field !== undefined],
  ]);
  const namesIn = (text: string) => [...text.matchAll(/\$\{([^${}]{0,64})\}/g)].map(([, name]) => name!);
  const later = Object.entries(resource.query_parameters ?? {}).flatMap(([key, value]) =>
    namesIn(value).flatMap((name): Fault[] => {
      if (known.get(name) === true) return [];
      const msg = known.has(name)
        ? `\${${name}} has no value, because the resource's cursor doesn't have it.`
        : `\${${name}} isn't a placeholder. Use \${cursor} or \${tie_breaker}.`;
      return [{ place: ['query_parameters', key], msg }];
    }),
  );
  const first = Object.entries(resource.initial_query_parameters ?? {}).flatMap(([key, value]): Fault[] =>
    namesIn(value).length === 0
      ? []
      : [
          {
            place: ['initial_query_parameters', key],
            msg: "Placeholders aren't allowed here, because the first run has no cursor yet.",
          },
        ],
  );
  return [...later, ...first];
}
