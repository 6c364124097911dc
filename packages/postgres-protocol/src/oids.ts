/** Oids of PostgreSQL's own types, which are the same in every server. */
export const oids = {
  ...{ bool: 16, bytea: 17, char: 18, name: 19, int8: 20, int2: 21, int4: 23, text: 25, oid: 26 },
  ...{ json: 114, float4: 700, float8: 701, unknown: 705, bpchar: 1042, varchar: 1043, date: 1082 },
  ...{ time: 1083, timestamp: 1114, timestamptz: 1184, interval: 1186, timetz: 1266, numeric: 1700 },
  ...{ uuid: 2950, jsonb: 3802 },
} as const;

export type TypeName = keyof typeof oids;

const names = new Map<number, TypeName>(Object.entries(oids).map(([name, oid]) => [oid, name as TypeName]));

/** The name of a type that isn't an array; undefined if it isn't known. */
export const typeName = (oid: number): TypeName | undefined => names.get(oid);

/** The oid of arrays of a type; undefined if there is none here. */
export const arrayOid = (item: TypeName): number | undefined =>
  [...itemTypes].find(([, name]) => name === item)?.[0];

/** The type of the items of an array, by the oid of the array. */
export const itemTypes: ReadonlyMap<number, TypeName> = new Map([
  ...([
    [1000, 'bool'],
    [1001, 'bytea'],
    [1003, 'name'],
    [1016, 'int8'],
    [1005, 'int2'],
    [1007, 'int4'],
    [1009, 'text'],
    [1028, 'oid'],
    [199, 'json'],
  ] as const),
  ...([
    [1021, 'float4'],
    [1022, 'float8'],
    [1014, 'bpchar'],
    [1015, 'varchar'],
    [1182, 'date'],
    [1183, 'time'],
    [1115, 'timestamp'],
    [1185, 'timestamptz'],
    [1231, 'numeric'],
    [2951, 'uuid'],
    [3807, 'jsonb'],
  ] as const),
]);
