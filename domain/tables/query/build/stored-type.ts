import type { DuckDBType } from '@duckdb/node-api';
import { dataTypeName } from '../../../../packages/row-formats/index.ts';

/** How a column of a result is stored: the service's type, and the cast to it if its own type is another. */
export interface StoredType {
  dataType: string;
  /** The engine's type; undefined if the values are stored as they are. */
  cast: string | undefined;
  /** What to say of a value of this column that the cast cannot hold, instead of the engine's own message. */
  refusal?: (name: string) => string;
}

const kept = /^(STRING|DOUBLE|BOOLEAN|DATE|TIME|TIMESTAMP|TIMESTAMPTZ|JSON|DECIMAL\(\d+,\d+\))$/;

const others: Readonly<Record<string, StoredType>> = {
  INTEGER: { dataType: 'INTEGER', cast: 'BIGINT' },
  // The lake would flush it as DOUBLE, which rounds.
  HUGEINT: { dataType: 'DECIMAL(38,0)', cast: 'DECIMAL(38,0)' },
  UHUGEINT: { dataType: 'DECIMAL(38,0)', cast: 'DECIMAL(38,0)' },
  UBIGINT: { dataType: 'DECIMAL(38,0)', cast: 'DECIMAL(38,0)' },
  BIGNUM: { dataType: 'DECIMAL(38,0)', cast: 'DECIMAL(38,0)' },
  FLOAT: { dataType: 'DOUBLE', cast: 'DOUBLE' },
  TIMESTAMP_S: { dataType: 'TIMESTAMP', cast: 'TIMESTAMP' },
  TIMESTAMP_MS: { dataType: 'TIMESTAMP', cast: 'TIMESTAMP' },
  TIMESTAMP_NS: { dataType: 'TIMESTAMP', cast: 'TIMESTAMP' },
};

/** Lists, structs and maps are stored as JSON; types without one of ours as text. */
export function storedType(type: DuckDBType): StoredType {
  const name = dataTypeName(type);
  if (kept.test(name)) return { dataType: name, cast: undefined };
  const other = others[name];
  if (other !== undefined) return other;
  if (/^(STRUCT|MAP|UNION)\(|\[\d*\]$/.test(name)) return { dataType: 'JSON', cast: 'JSON' };
  return { dataType: 'STRING', cast: 'VARCHAR' };
}
