import { isNestedName, nestedTypeName } from './nested.ts';

/** The parsed data type of a mapping. */
export type DataType =
  | {
      kind:
        | 'STRING'
        | 'INTEGER'
        | 'DOUBLE'
        | 'BOOLEAN'
        | 'DATE'
        | 'TIMESTAMP'
        | 'TIMESTAMPTZ'
        | 'TIME'
        | 'JSON';
    }
  | { kind: 'DECIMAL'; precision: number; scale: number }
  /** A list, struct or map, by its canonical name. */
  | { kind: 'NESTED'; name: string };

export const plainTypes = [
  'STRING',
  'INTEGER',
  'DOUBLE',
  'BOOLEAN',
  'DATE',
  'TIMESTAMP',
  'TIMESTAMPTZ',
  'TIME',
  'JSON',
] as const;

/** The parsed type, or the fault of the text. */
export function parseDataType(text: string): DataType | { fault: string } {
  if (isNestedName(text)) {
    const name = nestedTypeName(text);
    if (name !== undefined) return { kind: 'NESTED', name };
    return { fault: 'Write a nested type in the form that a preview with nested: native shows.' };
  }
  const upper = text.trim().toUpperCase();
  for (const kind of plainTypes) if (kind === upper) return { kind };
  if (upper === 'DECIMAL') return { kind: 'DECIMAL', precision: 38, scale: 10 };
  const match = /^DECIMAL\s*\(\s*(\d{1,4})\s*(?:,\s*(\d{1,4})\s*)?\)$/.exec(upper);
  if (match === null) {
    return { fault: `Unknown data type. Use one of ${plainTypes.join(', ')}, DECIMAL or DECIMAL(p,s).` };
  }
  const precision = Number(match[1]);
  const scale = Number(match[2] ?? 0);
  if (precision < 1 || precision > 38)
    return { fault: 'The precision of a DECIMAL must be between 1 and 38.' };
  if (scale > precision) return { fault: 'The scale of a DECIMAL must not be greater than its precision.' };
  return { kind: 'DECIMAL', precision, scale };
}

/** Parses a type that was validated before. */
export function dataType(text: string): DataType {
  const type = parseDataType(text);
  if ('fault' in type) throw new Error(`${type.fault}: ${text}`);
  return type;
}

/** The name of the type in mappings and in the columns that are written. */
export function typeName(type: DataType): string {
  if (type.kind === 'NESTED') return type.name;
  return type.kind === 'DECIMAL' ? `DECIMAL(${type.precision},${type.scale})` : type.kind;
}

const engineNames: Readonly<Record<string, string>> = { STRING: 'VARCHAR', INTEGER: 'BIGINT' };

/** The engine's name for the type of this name, for casts. */
export function engineName(name: string): string {
  return name.replace(/"(?:[^"]|"")*"|\b(?:STRING|INTEGER)\b/g, (word) => engineNames[word] ?? word);
}
