import { notFound } from '../../../data/errors.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { propertiesOf } from '../../../domain/tables/iceberg/create.ts';
import type { TableToLoad } from '../../../domain/tables/iceberg/load.ts';
import { findTableByName, isInLake, type TableRow } from '../../../domain/tables/tables/registry.ts';
import type { ApiDeps } from '../../deps.ts';

export const base = '/v1/iceberg/v1';
export const tablesPath = `${base}/:prefix/namespaces/:namespace/tables` as const;
export const tablePath = `${tablesPath}/:table` as const;
/** The only namespace: a table belongs to the organization. */
export const main = 'main';

/** @throws AppError not_found for another organization's catalog, and for another namespace */
export function refuseForeign(
  organizationId: string,
  { prefix, namespace = main }: { prefix: string; namespace?: string },
): void {
  if (prefix !== organizationId) throw notFound(`The catalog ${prefix}`);
  if (namespace !== main) throw notFound(`The namespace ${namespace}`);
}

/** @throws AppError not_found for a table that isn't there for the caller, and for views */
export async function getNamed(
  db: OrganizationTransaction,
  organizationId: string,
  name: string,
): Promise<TableRow> {
  const row = await findTableByName(db, organizationId, name);
  if (row === undefined || row.status !== 'ready' || row.kind === 'view' || !isInLake(row))
    throw notFound(`The table ${name}`);
  return row;
}

export async function toLoad(deps: ApiDeps, row: TableRow): Promise<TableToLoad> {
  const { organization_id: organizationId, id, name, description, kind } = row;
  const properties =
    kind === 'iceberg'
      ? await inOrganization(deps.db, organizationId, (db) => propertiesOf(db, organizationId, id))
      : {};
  return { organizationId, tableId: id, name, description, properties };
}
