import { AppError } from '../../../data/errors.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { engineTypeOf, IcebergFault } from '../../../packages/iceberg/index.ts';
import { limits } from '../../workspace/limits/limits.ts';
import type { TableDeps } from '../tables/deps.ts';
import { createTableBy } from '../tables/lifecycle.ts';
import type { TableRow } from '../tables/registry.ts';

/** Columns as an engine's schema has them. */
export interface EngineSchema {
  fields: readonly { name: string; type: unknown }[];
}

export interface NewIcebergTable {
  organizationId: string;
  id: string;
  name: string;
  schema: EngineSchema;
  properties: Readonly<Record<string, string>>;
  ownerUserId: string | null;
  committedBy: string;
}

/**
 * Creates an empty table that engines write. Repeating it with the same id continues what an earlier attempt
 * left.
 *
 * @throws AppError invalid_request for a schema that the lake can't keep, name_taken
 */
export async function createIcebergTable(deps: TableDeps, table: NewIcebergTable): Promise<TableRow> {
  const { organizationId, id, name, properties } = table;
  const columns = columnsOf(table.schema);
  const row = {
    ...{ organization_id: organizationId, id, name, kind: 'iceberg' as const },
    owner_user_id: table.ownerUserId,
  };
  const made = await createTableBy(
    deps,
    row,
    [`CREATE TABLE ${identifier(name)} (${columns.join(', ')})`],
    table.committedBy,
  );
  await inOrganization(deps.db, organizationId, (db) =>
    db
      .insertInto('iceberg_tables')
      .values({ organization_id: organizationId, table_id: id, properties: JSON.stringify(properties) })
      .onConflict((conflict) => conflict.columns(['organization_id', 'table_id']).doNothing())
      .execute(),
  );
  return made;
}

/** @throws AppError invalid_request */
export function columnsOf({ fields }: EngineSchema): string[] {
  const refuse = (why: string): never => {
    throw new AppError('invalid_request', why);
  };
  const most = limits.tables.columns.most;
  if (fields.length === 0) refuse('A table needs at least one column.');
  if (fields.length > most) refuse(`A table has at most ${most} columns.`);
  const names = new Set(fields.map(({ name }) => name.toLowerCase()));
  if (names.size < fields.length) refuse('Two columns have the same name. Names ignore case.');
  return fields.map(({ name, type }) => {
    try {
      return `${identifier(name)} ${engineTypeOf(type, `The column ${JSON.stringify(name)}`)}`;
    } catch (error) {
      if (error instanceof IcebergFault) refuse(error.message);
      throw error;
    }
  });
}

/** What engines note of a table. */
export async function propertiesOf(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<Record<string, string>> {
  const found = await db
    .selectFrom('iceberg_tables')
    .select('properties')
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .executeTakeFirst();
  return (found?.properties ?? {}) as Record<string, string>;
}

/** Changes what engines note of a table; a removed name that isn't there is no error. */
export async function changeProperties(
  db: OrganizationTransaction,
  { organizationId, tableId }: { organizationId: string; tableId: string },
  { set, remove }: { set: Readonly<Record<string, string>>; remove: readonly string[] },
): Promise<void> {
  const before = await propertiesOf(db, organizationId, tableId);
  const after = Object.fromEntries(
    Object.entries({ ...before, ...set }).filter(([name]) => !remove.includes(name)),
  );
  const text = JSON.stringify(after);
  if (text.length > mostPropertiesLength)
    throw new AppError('invalid_request', 'The properties of the table are longer than 64 KiB.');
  await db
    .updateTable('iceberg_tables')
    .set({ properties: text })
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .execute();
}

export const mostPropertiesLength = 65_536;
