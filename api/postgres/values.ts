import type { CellValue } from '../../domain/tables/query/request.ts';
import { type ParameterValue, ProtocolFault, type TypeName } from '../../packages/postgres-protocol/index.ts';

/** The types under which the service reads texts of values. What isn't here is a text. */
const dataTypes: Partial<Record<TypeName, string>> = {
  ...{ bool: 'BOOLEAN', int2: 'BIGINT', int4: 'BIGINT', int8: 'BIGINT', oid: 'BIGINT' },
  ...{ float4: 'DOUBLE', float8: 'DOUBLE', date: 'DATE', time: 'TIME', timestamp: 'TIMESTAMP' },
  ...{ timestamptz: 'TIMESTAMPTZ', uuid: 'UUID', json: 'JSON', jsonb: 'JSON' },
};

const integer = /^-?\d{1,18}$/;

/**
 * The value of a parameter, as it is passed to the engine.
 *
 * @param isDeclared Whether the client has named its type
 */
export function cellOf(value: ParameterValue, isDeclared = true): CellValue {
  if (value === null) return null;
  if ('items' in value) {
    const { type, items } = value;
    const areIntegers =
      !isDeclared &&
      type === 'text' &&
      items.length > 0 &&
      items.every((each) => each === null || integer.test(each));
    // A client that names no type sends texts, whatever it compares them with.
    const item = areIntegers
      ? 'BIGINT'
      : type === 'numeric'
        ? 'DECIMAL(38,10)'
        : (dataTypes[type] ?? 'STRING');
    return {
      text: JSON.stringify(items.map((each) => each && plainText(type, each))),
      dataType: `${item}[]`,
    };
  }
  const { type } = value;
  const text = plainText(type, value.text);
  if (type === 'numeric') return numeric(text);
  if (type === 'bytea') return { text: bytesOf(text).toString('base64'), dataType: 'BLOB' };
  if (type === 'interval') return /^P/.test(text) ? { text, dataType: 'INTERVAL' } : text;
  const dataType = dataTypes[type];
  return dataType === undefined ? text : { text, dataType };
}

/** With a fraction, so that it has the same type whatever its digits are. */
function numeric(text: string): CellValue {
  if (/^-?\d+$/.test(text)) return { number: `${text}.0` };
  if (/^-?\d+\.\d+$/.test(text)) return { number: text };
  return { text, dataType: 'DOUBLE' };
}

function plainText(type: TypeName, text: string): string {
  if (type === 'bool') return /^\s*(?:t|true|y|yes|on|1)\s*$/i.test(text) ? 'true' : 'false';
  return type === 'numeric' ? text.trim() : text;
}

function bytesOf(text: string): Buffer {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex');
  const plain = text.replace(/\\(\d{3}|\\)/g, (_, code: string) =>
    code === '\\' ? '\\' : String.fromCharCode(Number.parseInt(code, 8) & 255),
  );
  if ([...plain].some((character) => character > '\u00ff'))
    throw new ProtocolFault('22P02', "A value isn't readable as bytea.");
  return Buffer.from(plain, 'latin1');
}
