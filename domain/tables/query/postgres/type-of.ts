/** By the service's name of a type: its oid, and that of its arrays. */
const types: Readonly<Record<string, readonly [oid: number, array: number]>> = {
  BOOLEAN: [16, 1000],
  TINYINT: [21, 1005],
  SMALLINT: [21, 1005],
  INTEGER: [20, 1016],
  BIGINT: [20, 1016],
  UINT64: [1700, 1231],
  UBIGINT: [1700, 1231],
  INT128: [1700, 1231],
  HUGEINT: [1700, 1231],
  UHUGEINT: [1700, 1231],
  DECIMAL: [1700, 1231],
  FLOAT32: [700, 1021],
  FLOAT: [700, 1021],
  DOUBLE: [701, 1022],
  STRING: [25, 1009],
  BLOB: [17, 1001],
  DATE: [1082, 1182],
  TIME: [1083, 1183],
  TIMETZ: [1266, 1270],
  TIMESTAMP: [1114, 1115],
  TIMESTAMP_S: [1114, 1115],
  TIMESTAMP_MS: [1114, 1115],
  TIMESTAMP_NS: [1114, 1115],
  TIMESTAMPTZ: [1184, 1185],
  INTERVAL: [1186, 1187],
  UUID: [2950, 2951],
  JSON: [114, 199],
};

const text = [25, 1009] as const;
const document = { oid: 114, modifier: -1 };

/** The type of a column, as a catalog of PostgreSQL names it. */
export function postgresTypeOf(dataType: string): { oid: number; modifier: number } {
  if (/^(?:STRUCT|MAP|UNION)\(|^VARIANT$/.test(dataType)) return document;
  const item = /^([^[]*)\[\d*\]$/.exec(dataType)?.[1];
  if (item === undefined && dataType.endsWith(']')) return document;
  const [name = '', width, scale] = (item ?? dataType).split(/[(,)]/);
  const [oid, array] = types[name.trim()] ?? text;
  if (item !== undefined) return { oid: array, modifier: -1 };
  if (name !== 'DECIMAL' || width === undefined) return { oid, modifier: -1 };
  return { oid, modifier: ((Number(width) << 16) | Number(scale ?? 0)) + 4 };
}
