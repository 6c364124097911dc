import { parseBoundedJson } from '../../../../data/bounded-json.ts';
import { ValidationError } from '../../../../data/errors.ts';
import { isRawNumber, type JsonValue } from '../../../../data/exact-json.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import type { ReplicatedResource } from '../replication-policy.ts';
import type { SourceColumn } from './source.ts';

export type JsonRecord = Record<string, JsonValue>;

const bounds = { depth: 64, members: 5_000_000, storableText: true };

/** Parses the JSON of an answer. @throws RemoteFailure if it is invalid */
export function parseAnswer(bytes: Buffer): JsonValue {
  try {
    return parseBoundedJson(bytes, bounds);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new RemoteFailure('request', `The source's answer isn't readable: ${error.faults[0]?.msg}`);
  }
}

/** The value at a JSON Pointer (RFC 6901); undefined if there is none. */
export function pointedTo(value: JsonValue, pointer: string): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = /^(?:0|[1-9]\d*)$/.test(key) ? at[Number(key)] : undefined;
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

/**
 * The records of a page, unchanged. A page after one with a list may have null in its place, or nothing: many
 * sources say so that there are no more.
 *
 * @throws RemoteFailure if the answer has no list of records
 */
export function recordsOf(
  answer: JsonValue,
  { pagination }: ReplicatedResource,
  { isLater = false } = {},
): JsonRecord[] {
  const pointer = pagination?.data_pointer ?? '';
  const found = pointedTo(answer, pointer);
  if (isLater && isObject(answer) && (found === null || found === undefined)) return [];
  const records = Array.isArray(found)
    ? found
    : isObject(found) && pagination === undefined
      ? [found]
      : undefined;
  if (records === undefined)
    throw new RemoteFailure(
      'request',
      `The source's answer has no list of records at ${pointer === '' ? 'its root' : pointer}. Set pagination.data_pointer.`,
    );
  if (!records.every(isObject))
    throw new RemoteFailure(
      'request',
      `The source's list at ${pointer || 'its root'} contains values that aren't records.`,
    );
  return records;
}

/** The value of a field, by its full name or else by a dotted path. */
export function fieldOf(record: JsonRecord, path: string): JsonValue | undefined {
  if (Object.hasOwn(record, path)) return record[path];
  let at: JsonValue | undefined = record;
  for (const key of path.split('.')) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

/** A record with its fields renamed to their columns. */
export function mappedRecord(
  record: JsonRecord,
  { field_mappings: mappings = {}, json_string_fields: jsonFields = [] }: ReplicatedResource,
): JsonRecord {
  const parsed = jsonFields.reduce(withParsed, record);
  const named = Object.entries(mappings).flatMap(([field, column]): [string, JsonValue][] => {
    const value = fieldOf(parsed, field);
    return value === undefined ? [] : [[column, value]];
  });
  const own = Object.entries(parsed).filter(([field]) => !Object.hasOwn(mappings, field));
  return Object.fromEntries([...own, ...named]);
}

/**
 * The record with a field's JSON string parsed. The field is found by its full name, or else by a dotted
 * path.
 */
function withParsed(record: JsonRecord, field: string): JsonRecord {
  const [first = '', ...rest] = Object.hasOwn(record, field) ? [field] : field.split('.');
  const value = Object.hasOwn(record, first) ? record[first] : undefined;
  if (rest.length > 0)
    return isObject(value) ? { ...record, [first]: withParsed(value, rest.join('.')) } : record;
  if (typeof value !== 'string' || value === '') return record;
  try {
    return { ...record, [first]: parseAnswer(Buffer.from(value)) };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    throw new RemoteFailure(
      'request',
      `The field ${field} of a record is listed in json_string_fields, but it isn't valid JSON.`,
    );
  }
}

/** Columns inferred from a few records. */
export function columnsOf(records: readonly JsonRecord[]): SourceColumn[] {
  const seen = new Map<string, { types: Set<string>; values: number }>();
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const column = seen.get(name) ?? { types: new Set(), values: 0 };
      seen.set(name, column);
      if (value === null) continue;
      column.types.add(typeOf(value));
      column.values += 1;
    }
  }
  return [...seen].map(([name, { types, values }]) => ({
    name,
    dataType: types.size === 1 ? [...types][0]! : types.size === 0 ? 'null' : 'json',
    nullable: values < records.length,
  }));
}

function typeOf(value: JsonValue): string {
  if (typeof value === 'number' || isRawNumber(value)) return 'number';
  return typeof value === 'object' ? 'json' : typeof value;
}

function isObject(value: JsonValue | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
