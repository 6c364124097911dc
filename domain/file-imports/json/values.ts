import { isUtf8 } from 'node:buffer';
import { isRawNumber, type JsonValue, parseExactJson } from '../../../data/exact-json.ts';
import type { TaggedValue, TaggedWriter } from '../text/tagged.ts';
import { boundsFault } from './bounds.ts';

/** Adds the object written in `bytes`, which starts on `line`; anything else is a broken record. */
export function addObject(writer: TaggedWriter, bytes: Buffer, line: number): void {
  const text = bytes.toString();
  const values = valuesOf(bytes, text);
  if (typeof values === 'string') {
    writer.addBroken(line, text, values);
    return;
  }
  for (const { column } of values) writer.declare(column);
  writer.add(
    line,
    text,
    values.flatMap(({ column, field }) => (field === null ? [] : [{ column, ...tagged(field) }])),
  );
}

function valuesOf(bytes: Buffer, text: string): { column: string; field: JsonValue }[] | string {
  if (!isUtf8(bytes)) return 'The record has bytes that are no characters in UTF-8';
  return boundsFault(bytes) ?? objectValues(text);
}

/** The fields of an object, or why the text is none. */
function objectValues(text: string): { column: string; field: JsonValue }[] | string {
  try {
    const value = parseExactJson(text);
    if (value === null || typeof value !== 'object' || Array.isArray(value) || isRawNumber(value)) {
      return 'The record is not a JSON object';
    }
    const fields = Object.entries(value as { [key: string]: JsonValue });
    if (fields.some(([, field]) => typeof field === 'string' && !field.isWellFormed()))
      return 'The record has half of a surrogate pair, which is no character';
    return fields.map(([column, field]) => ({ column, field }));
  } catch {
    return 'The record is not valid JSON';
  }
}

function tagged(field: Exclude<JsonValue, null>): Pick<TaggedValue, 'tag' | 'text'> {
  if (typeof field === 'string') return { tag: 's', text: field };
  if (typeof field === 'boolean') return { tag: 'b', text: String(field) };
  if (typeof field === 'number') return { tag: 'n', text: String(field) };
  if (isRawNumber(field)) return { tag: 'n', text: field.rawJSON };
  return { tag: 'o', text: JSON.stringify(field) };
}
