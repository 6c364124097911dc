import { createHash } from 'node:crypto';

/** The tables and views that a catalog shows. */
export interface CatalogRelation {
  /** Never changes, and no other has it. */
  id: string;
  name: string;
  isView: boolean;
  description: string;
  /** The SELECT of a view. */
  definition?: string | undefined;
  columns: CatalogColumn[];
  /** Names of the columns of its key, if it enforces one. */
  keyColumns: readonly string[];
}

export interface CatalogColumn {
  name: string;
  oid: number;
  modifier: number;
  isNullable: boolean;
  description: string;
}

/** A table of texts, from which the catalog is made. */
export interface ContentTable {
  name: string;
  columns: { name: string; type: string }[];
  rows: (string | null)[][];
}

/** Smaller numbers belong to PostgreSQL itself. */
const firstOid = 16_384;

export function contentTables(relations: readonly CatalogRelation[]): ContentTable[] {
  const oidOf = givesOids();
  const known = relations.map((relation) => ({ ...relation, oid: oidOf(relation.id) }));
  return [
    {
      name: 'own_relations',
      columns: columns(
        'oid UINTEGER, name VARCHAR, kind VARCHAR, comment VARCHAR, natts SMALLINT, haskey BOOLEAN, definition VARCHAR',
      ),
      rows: known.map(({ oid, name, isView, description, definition, columns: { length }, keyColumns }) => [
        ...[String(oid), name, isView ? 'v' : 'r', description || null, String(length)],
        ...[String(keyColumns.length > 0), definition ?? null],
      ]),
    },
    {
      name: 'own_columns',
      columns: columns(
        'relid UINTEGER, num SMALLINT, name VARCHAR, type UINTEGER, modifier INTEGER, isnotnull BOOLEAN, comment VARCHAR',
      ),
      rows: known.flatMap(({ oid, columns: own }) =>
        own.map(({ name, oid: type, modifier, isNullable, description }, at) => [
          ...[String(oid), String(at + 1), name, String(type), String(modifier), String(!isNullable)],
          description || null,
        ]),
      ),
    },
    {
      name: 'own_keys',
      columns: columns('relid UINTEGER, name VARCHAR, conid UINTEGER, indid UINTEGER, nums SMALLINT[]'),
      rows: known.flatMap(({ oid, id, name, columns: own, keyColumns }) => {
        const nums = keyColumns.map((key) => own.findIndex((column) => column.name === key) + 1);
        if (nums.length === 0 || nums.includes(0)) return [];
        const [constraint, index] = [oidOf(`${id} key`), oidOf(`${id} index`)];
        return [[String(oid), `${name}_key`, String(constraint), String(index), `[${nums.join(', ')}]`]];
      }),
    },
  ];
}

const columns = (list: string): ContentTable['columns'] =>
  list.split(', ').map((column) => {
    const [name = '', type = ''] = column.split(' ');
    return { name, type };
  });

/** The same number for the same id, as long as no other has it. */
function givesOids(): (id: string) => number {
  const taken = new Set<number>();
  return (id) => {
    let oid = firstOid + (createHash('sha256').update(id).digest().readUInt32BE() % 0x7000_0000);
    while (taken.has(oid)) oid += 1;
    taken.add(oid);
    return oid;
  };
}
