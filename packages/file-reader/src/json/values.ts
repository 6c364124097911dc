import { isUtf8 } from 'node:buffer';
import { isRawNumber, type JsonValue, parseExactJson } from '../json/exact.ts';
import type { TaggedValue, TaggedWriter } from '../text/tagged.ts';
import { lookThrough } from './bounds.ts';

/** How the lists and objects of a file are read, where they are kept as such. */
export interface NestedReading {
  /** Looks at a value of a column whose type is found from its values. */
  look?: (column: string, value: JsonValue) => void;
  /** Whether the nested type that was given for a column holds the value. */
  fits?: (column: string, value: JsonValue) => boolean;
}

/** Adds the object in `bytes`, which starts on `line`; anything else is added as a broken record. */
export function addObject(
  writer: TaggedWriter,
  bytes: Buffer,
  line: number,
  { look, fits }: NestedReading = {},
): void {
  const text = bytes.toString();
  const fields = fieldsOf(bytes, text);
  if (typeof fields === 'string') {
    writer.addBroken(line, text, fields);
    return;
  }
  const columns = Object.keys(fields);
  // Keeps the column order of the record; otherwise columns with values would come first.
  if (columns.some((column) => fields[column] === null)) for (const column of columns) writer.declare(column);
  const values: TaggedValue[] = [];
  for (const column of columns) {
    const field = fields[column]!;
    if (field === null) continue;
    look?.(column, field);
    const value = tagged(column, field);
    values.push(value.tag === 'o' && fits?.(column, field) === false ? { ...value, tag: 'u' } : value);
  }
  writer.add(line, text, values);
}

type Fields = { [column: string]: JsonValue };

/** The fields of an object, or why the text is not one. */
function fieldsOf(bytes: Buffer, text: string): Fields | string {
  if (!isUtf8(bytes)) return "The record has bytes that aren't valid UTF-8";
  const { fault, hasLongNumber } = lookThrough(bytes);
  if (fault !== undefined) return fault;
  let value: JsonValue;
  try {
    value = parseExactJson(text, hasLongNumber);
  } catch {
    return "The record isn't valid JSON";
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value) || isRawNumber(value))
    return "The record isn't a JSON object";
  const fields = value as Fields;
  for (const column of Object.keys(fields)) {
    const field = fields[column];
    if (typeof field === 'string' && !field.isWellFormed())
      return "The record has half of a surrogate pair, which isn't a valid character";
  }
  return fields;
}

function tagged(column: string, field: Exclude<JsonValue, null>): TaggedValue {
  if (typeof field === 'string') return { column, tag: 's', text: field };
  if (typeof field === 'boolean') return { column, tag: 'b', text: String(field) };
  if (typeof field === 'number') return { column, tag: 'n', text: String(field) };
  if (isRawNumber(field)) return { column, tag: 'n', text: field.rawJSON };
  return { column, tag: 'o', text: JSON.stringify(field) };
}
