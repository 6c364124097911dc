import { createHash } from 'node:crypto';
import type { PlainTable } from '../../../../data/lake/ducklake/table-layout.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { type CatalogRelation, contentTables } from '../../../../packages/postgres-dialect/index.ts';
import { actAs } from '../../../workspace/organizations/rights.ts';
import { type LakeColumn, physicalTables } from '../../tables/columns.ts';
import type { TableRow } from '../../tables/registry.ts';
import { listQueryable } from '../../tables/registry.ts';
import type { QueryDeps } from '../run.ts';
import { postgresTypeOf } from './type-of.ts';

/** The content of a catalog: tables of texts, with their names. */
export interface CatalogContent {
  names: string[];
  tables: PlainTable[];
}

export type ViewColumns = (
  organizationId: string,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, { definition: string; columns: { name: string; dataType: string }[] }>>;

type Described = Pick<TableRow, 'id' | 'description' | 'column_notes' | 'key_columns' | 'key_enforced'>;

/** What a caller can read, as a catalog of PostgreSQL shows it. */
export async function catalogContent(
  deps: Pick<QueryDeps, 'db' | 'lake'> & { viewColumns: ViewColumns },
  organizationId: string,
  callerId: string,
): Promise<CatalogContent> {
  const { relations, rows } = await inOrganization(deps.db, organizationId, async (transaction) => {
    await actAs(transaction, organizationId, callerId);
    const listed = await listQueryable(transaction, organizationId);
    const described: Described[] = await transaction
      .selectFrom('tables')
      .select(['id', 'description', 'column_notes', 'key_columns', 'key_enforced'])
      .where('organization_id', '=', organizationId)
      .where('status', '=', 'ready')
      .execute();
    return { relations: listed, rows: new Map(described.map((row) => [row.id, row])) };
  });
  const lake = await deps.lake.catalog.get(organizationId);
  const physical = await physicalTables(deps.lake.catalogPool, lake.schema);
  const views = relations.filter(({ kind }) => kind === 'view').map(({ id }) => id);
  const columnsOfViews: Awaited<ReturnType<ViewColumns>> =
    views.length === 0 ? new Map() : await deps.viewColumns(organizationId, views);
  const shown = relations.map(({ id, name, kind }): CatalogRelation => {
    const row = rows.get(id);
    const columns: Pick<LakeColumn, 'name' | 'dataType' | 'nullable'>[] =
      kind === 'view'
        ? (columnsOfViews.get(id)?.columns ?? []).map((column) => ({ ...column, nullable: true }))
        : (physical.get(name.toLowerCase())?.columns ?? []);
    const keyColumns = row?.key_enforced ? row.key_columns : [];
    const notes = (row?.column_notes ?? {}) as Record<string, { description?: string | null }>;
    return {
      ...{ id, name, isView: kind === 'view', description: row?.description ?? '', keyColumns },
      definition: columnsOfViews.get(id)?.definition,
      columns: columns.map(({ name: column, dataType, nullable }) => ({
        ...{ name: column, ...postgresTypeOf(dataType) },
        isNullable: nullable && !keyColumns.includes(column),
        description: (Object.hasOwn(notes, column) && notes[column]?.description) || '',
      })),
    };
  });
  const tables = contentTables(shown);
  return {
    names: tables.map(({ name }) => name),
    tables: tables.map(({ name, columns, rows: texts }) => ({
      ...{ key: keyOf(name, texts), columns, files: [], rows: texts },
    })),
  };
}

/** The same rows have the same key, so that a process makes them once. */
const keyOf = (name: string, rows: unknown): string =>
  `catalog_${createHash('sha256')
    .update(JSON.stringify([name, rows]))
    .digest('hex')
    .slice(0, 32)}`;
