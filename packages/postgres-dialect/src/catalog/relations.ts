import { informationViews } from './information-views.ts';
import { postgresTypes } from './postgres-types.ts';
import { postgresViews } from './postgres-views.ts';
import { type Shape, shapes } from './shapes.ts';
import type { ViewDefinition } from './view-definition.ts';

const definitions: Readonly<Record<string, ViewDefinition>> = { ...postgresViews, ...informationViews };

/** The schema that stands for `information_schema`, which is the engine's own. */
export const informationSchema = 'information_schema_of_postgres';

/** The statement that makes a relation, by its name in `shapes`. Without a definition it has no rows. */
export function createRelation(key: string): string {
  const { isInformation, name, columns } = shapes.get(key)!;
  const definition = definitions[key];
  const selected = columns.map((column) => {
    const value = definition?.columns[column.name] ?? column.default;
    return `CAST(${value} AS ${column.type}) AS "${column.name}"`;
  });
  const from = definition === undefined ? '(SELECT 1) WHERE false' : definition.from;
  return `CREATE VIEW ${isInformation ? informationSchema : 'main'}."${name}" AS SELECT ${selected.join(', ')} FROM ${from}`;
}

/** Relations of the catalog that another one is made from. */
export function neededBy(key: string): string[] {
  const definition = definitions[key];
  if (definition === undefined) return [];
  const text = `${definition.from} ${Object.values(definition.columns).join(' ')}`;
  return [...text.matchAll(/\bmain\.(pg_\w+)/g)].map(([, name]) => name!);
}

/** PostgreSQL's types, and its own relations: rows that every catalog has. */
export function constantTables(): string[] {
  const types = postgresTypes
    .trim()
    .split('\n')
    .map((line) => {
      const [oid, name, size, kind, category, item, array, receive, receiver, reader] = line.split(' ');
      return `(${oid}, '${name}', ${size}, '${kind}', '${category}', ${item}, ${array}, ${receive}, '${receiver}', '${reader}')`;
    });
  const relations = [...shapes.values()].map(
    ({ oid, name, kind, isInformation, columns }: Shape) =>
      `(${oid}, '${name}', '${kind}', ${isInformation ? 13_000 : 11}, ${columns.length})`,
  );
  return [
    `CREATE TABLE main.own_types AS SELECT * FROM (VALUES ${types.join(', ')})
       AS t(oid, name, size, kind, category, item, "array", receive, receiver, reader)`,
    `CREATE TABLE main.own_system AS SELECT * FROM (VALUES ${relations.join(', ')})
       AS t(oid, name, kind, schema, natts)`,
  ];
}
