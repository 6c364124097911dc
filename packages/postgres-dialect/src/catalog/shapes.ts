import { postgresRelations } from './postgres-relations.ts';

/** A table or view of PostgreSQL's own catalog. */
export interface Shape {
  /** Whether it is in the information schema; otherwise it is in `pg_catalog`. */
  isInformation: boolean;
  name: string;
  oid: number;
  kind: string;
  columns: { name: string; type: string; default: string }[];
}

/** By letter: the engine's type, and what a column has if nothing else is known. */
const types: Readonly<Record<string, readonly [type: string, value: string]>> = {
  o: ['UINTEGER', '0'],
  b: ['BOOLEAN', 'false'],
  s: ['SMALLINT', '0'],
  i: ['INTEGER', 'NULL'],
  l: ['BIGINT', '0'],
  f: ['FLOAT', '0'],
  d: ['DOUBLE', '0'],
  z: ['TIMESTAMPTZ', 'NULL'],
  S: ['SMALLINT[]', 'NULL'],
  O: ['UINTEGER[]', 'NULL'],
  T: ['VARCHAR[]', 'NULL'],
  y: ['VARCHAR', "'NO'"],
};
const text = ['VARCHAR', 'NULL'] as const;

/** Columns of earlier versions, which older clients still ask for. */
const earlier: Readonly<Record<string, string>> = {
  pg_database: 'daticulocale:t,datlastsysoid:o',
  pg_collation: 'colliculocale:t',
  pg_class: 'relhasoids:b,relhaspkey:b',
  pg_proc: 'proisagg:b,proiswindow:b',
  pg_attrdef: 'adsrc:t',
  pg_constraint: 'consrc:t',
};

/** By name; those of the information schema with `i.` before it. */
export const shapes: ReadonlyMap<string, Shape> = new Map(
  postgresRelations
    .trim()
    .split('\n')
    .map((line) => {
      const [written = '', oid, kind = 'r', columns = ''] = line.split(' ');
      const isInformation = written.startsWith('i.');
      const shape: Shape = {
        ...{ isInformation, name: written.replace(/^i\./, ''), oid: Number(oid), kind },
        columns: [columns, earlier[written] ?? []]
          .flat()
          .join(',')
          .split(',')
          .map((column) => {
            const [name = '', letter = 't'] = column.split(':');
            const [type, value] = types[letter] ?? text;
            return { name, type, default: value };
          }),
      };
      return [written, shape];
    }),
);
