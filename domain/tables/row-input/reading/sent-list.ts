import { parseBoundedJson } from '../../../../data/bounded-json.ts';
import { ValidationError, type ValidationFault } from '../../../../data/errors.ts';
import { isRawNumber, type JsonValue } from '../../../../data/exact-json.ts';
import { limits } from '../../../workspace/limits/limits.ts';
import type { Row } from '../plan.ts';

/**
 * A body in raw bytes, `{"rows": [...]}` or `{"records": [...], ...}`; parsed where its records are checked.
 */
export interface SentList {
  bytes: Uint8Array;
  list: 'rows' | 'records';
  /** Minimum number of records. */
  min: number;
  /** Members allowed in addition to the list. */
  members: readonly string[];
}

/** Maximum number of records in one request. */
export const maxRecords = limits.ingestion.recordsOfPage.most;
/** Maximum nesting of values of JSON columns, within their record in the body's list. */
export const maxValueDepth = 1_000;
const bounds = { depth: maxValueDepth + 3, members: Number.POSITIVE_INFINITY, storableText: false };
const maxFaults = 20;

export interface ReadList {
  records: Row[];
  /** The body's other members. */
  members: Record<string, JsonValue>;
  /** Faults of the list or of the other members; the records are usable if there are none. */
  faults: ValidationFault[];
}

/** The records of a body; throws with its faults, each at its place. */
export function readSentList(sent: SentList): readonly Row[] {
  const { records, faults } = readList(sent);
  if (faults.length > 0) throw new ValidationError(faults);
  return records;
}

/** Reads a body; throws if it is not a JSON object. */
export function readList(sent: SentList): ReadList {
  const { list, members: allowed } = sent;
  const bytes = Buffer.from(sent.bytes.buffer, sent.bytes.byteOffset, sent.bytes.byteLength);
  if (bytes.length === 0) throw fault(['body'], 'Field required', 'missing');
  const body = parseBoundedJson(bytes, bounds);
  if (!isObject(body)) throw fault(['body'], 'Input should be a valid dictionary', 'dict_type');
  const { [list]: records, ...members } = body;
  const faults = listFaults(records, sent);
  for (const name of Object.keys(members)) {
    if (faults.length < maxFaults && !allowed.includes(name))
      faults.push({ loc: ['body', name], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' });
  }
  return { records: records as Row[], members, faults };
}

function listFaults(records: JsonValue | undefined, { list, min }: SentList): ValidationFault[] {
  const loc = ['body', list];
  if (records === undefined) return [{ loc, msg: 'Field required', type: 'missing' }];
  if (!Array.isArray(records)) return [{ loc, msg: 'Input should be a valid list', type: 'list_type' }];
  if (records.length < min)
    return [{ loc, msg: `List should have at least ${min} items`, type: 'too_short' }];
  if (records.length > maxRecords)
    return [{ loc, msg: `List should have at most ${maxRecords} items`, type: 'too_long' }];
  const faults: ValidationFault[] = [];
  for (const [index, record] of records.entries()) {
    if (faults.length >= maxFaults) break;
    if (!isObject(record))
      faults.push({ loc: [...loc, index], msg: 'Input should be a valid dictionary', type: 'dict_type' });
  }
  return faults;
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

function fault(loc: string[], msg: string, type: string): ValidationError {
  return new ValidationError([{ loc, msg, type }]);
}
