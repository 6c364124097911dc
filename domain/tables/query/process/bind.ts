import {
  BIGINT,
  BOOLEAN,
  DECIMAL,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDecimalValue,
  type DuckDBType,
  type DuckDBValue,
  HUGEINT,
  INTEGER,
  SQLNULL,
  VARCHAR,
} from '@duckdb/node-api';
import { valueFromText } from '../answered-types.ts';
import type { CellValue, QueryParameter } from '../request.ts';

export interface Bound {
  values: Record<string, DuckDBValue>;
  types: Record<string, DuckDBType>;
}

/**
 * Values with their types, else with those that the same literals would have. Undefined if the statement has
 * no parameters.
 */
export async function boundParameters(
  connection: DuckDBConnection,
  parameters: readonly QueryParameter[],
): Promise<Bound | undefined> {
  if (parameters.length === 0) return undefined;
  const bound: Bound = { values: {}, types: {} };
  for (const { name, value } of parameters) {
    const typed = await typedValue(connection, value);
    bound.values[name] = typed.value;
    bound.types[name] = typed.type;
  }
  return bound;
}

interface Typed {
  value: DuckDBValue;
  type: DuckDBType;
}

async function typedValue(connection: DuckDBConnection, value: CellValue): Promise<Typed> {
  if (value === null) return { value, type: SQLNULL };
  if (typeof value === 'boolean') return { value, type: BOOLEAN };
  // The engine treats a bound text like a literal: it is cast to the date or number it is compared with.
  if (typeof value === 'string') return { value, type: VARCHAR };
  return 'number' in value ? typedNumber(value.number) : typedText(connection, value);
}

/** The engine itself reads the text. */
async function typedText(
  connection: DuckDBConnection,
  { text, dataType }: { text: string; dataType: string },
): Promise<Typed> {
  const reader = await connection.runAndReadAll(`SELECT ${valueFromText(dataType, '$1')}`, [text], [VARCHAR]);
  return { value: reader.value(0, 0), type: reader.columnType(0) };
}

const maxDigits = 38;

function typedNumber(number: string): Typed {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(number) ?? [];
  if (whole === undefined) return { value: Number(number), type: DOUBLE };
  const unscaled = BigInt(`${sign}${whole}${fraction}`);
  if (fraction === '') return typedInteger(unscaled);
  const width = whole.length + fraction.length;
  if (width > maxDigits) return { value: Number(number), type: DOUBLE };
  const type = DECIMAL(width, fraction.length);
  return { value: new DuckDBDecimalValue(unscaled, width, fraction.length), type };
}

function typedInteger(value: bigint): Typed {
  if (BigInt.asIntN(32, value) === value) return { value: Number(value), type: INTEGER };
  if (BigInt.asIntN(64, value) === value) return { value, type: BIGINT };
  return BigInt.asIntN(128, value) === value
    ? { value, type: HUGEINT }
    : { value: Number(value), type: DOUBLE };
}
