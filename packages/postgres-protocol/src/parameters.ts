import { itemsOfBinary, textOfBinary } from './binary.ts';
import { ProtocolFault, violation } from './fault.ts';
import { itemTypes, type TypeName, typeName } from './oids.ts';

/** A value that a client has bound: its text, with its type; or the items of an array. */
export type ParameterValue =
  | null
  | { type: TypeName; text: string }
  | { type: TypeName; items: (string | null)[] };

/**
 * @param oid The type of the parameter
 * @param format 0 for text, 1 for binary
 * @throws ProtocolFault if the bytes are no value of the type
 */
export function readParameter(oid: number, format: number, bytes: Buffer | null): ParameterValue {
  if (bytes === null) return null;
  const itemType = itemTypes.get(oid);
  if (itemType !== undefined) {
    if (format === 1) return itemsOfBinary(bytes);
    const items = itemsOfText(bytes.toString('utf8'));
    for (const item of items) if (item !== null) refuseUnreadable(itemType, item);
    return { type: itemType, items };
  }
  const type = typeName(oid);
  if (format === 1) {
    if (type === undefined) throw violation(`Values of the type ${oid} can only be sent as text.`);
    return { type, text: textOfBinary(type, bytes) };
  }
  const text = bytes.toString('utf8');
  refuseUnreadable(type ?? 'text', text);
  return { type: type ?? 'text', text };
}

const numbers = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const special = /^(?:NaN|[+-]?(?:inf|infinity))$/i;
const integers = /^[+-]?\d+$/;

const forms: Partial<Record<TypeName, (text: string) => boolean>> = {
  int2: (text) => integers.test(text),
  int4: (text) => integers.test(text),
  int8: (text) => integers.test(text),
  oid: (text) => integers.test(text),
  float4: (text) => numbers.test(text) || special.test(text),
  float8: (text) => numbers.test(text) || special.test(text),
  numeric: (text) => numbers.test(text) || special.test(text),
  bool: (text) => /^(?:t|f|true|false|y|n|yes|no|on|off|1|0)$/i.test(text),
  bytea: (text) => !text.startsWith('\\x') || /^\\x(?:[0-9a-f]{2})*$/i.test(text),
};

function refuseUnreadable(type: TypeName, text: string): void {
  if (text.includes('\0')) throw new ProtocolFault('22021', 'A value contains a NUL character.');
  if (forms[type]?.(text.trim()) === false)
    throw new ProtocolFault('22P02', `A value of a parameter isn't readable as ${type}.`);
}

/** The items of a text such as `{1,NULL,"a, b"}`. */
export function itemsOfText(text: string): (string | null)[] {
  const array = text.trim();
  if (!array.startsWith('{') || !array.endsWith('}') || array.length < 2)
    throw new ProtocolFault('22P02', 'An array begins with { and ends with }.');
  const inner = array.slice(1, -1);
  if (inner.trim() === '') return [];
  const items: (string | null)[] = [];
  let item = '';
  let wasQuoted = false;
  let isQuoted = false;
  const end = () => {
    const bare = wasQuoted ? item : item.trim();
    items.push(!wasQuoted && bare.toUpperCase() === 'NULL' ? null : bare);
    item = '';
    wasQuoted = false;
  };
  for (let at = 0; at < inner.length; at += 1) {
    const character = inner[at]!;
    if (character === '\\') {
      at += 1;
      item += inner[at] ?? '';
    } else if (character === '"') {
      if (!isQuoted) item = '';
      isQuoted = !isQuoted;
      wasQuoted = true;
    } else if (isQuoted) item += character;
    else if (character === ',') end();
    else if (character === '{' || character === '}')
      throw new ProtocolFault('0A000', 'An array can have one dimension.');
    else if (!wasQuoted) item += character;
  }
  if (isQuoted) throw new ProtocolFault('22P02', "An array isn't readable.");
  end();
  return items;
}
