import type { z } from 'zod';
import type { TableStatistics } from '../../../data/lake/ledger.ts';
import { identifier } from '../../../data/lake/sql.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { lineageSummary } from '../../../domain/tables/derived-relations/describe.ts';
import { type DefinitionGraph, loadGraph } from '../../../domain/tables/derived-relations/graph.ts';
import { decidedType, type PhysicalTable } from '../../../domain/tables/tables/columns.ts';
import { isInLake, type TableKind, type TableRow } from '../../../domain/tables/tables/registry.ts';
import { storedFacts } from '../../../domain/tables/tables/stored.ts';
import { testedStates } from '../../../domain/tables/verification/table-state.ts';
import type { ApiDeps } from '../../deps.ts';
import { notedColumns } from '../catalog.ts';
import type { catalogSchema, tableSchema } from './schemas.ts';

/** A table, combined from the registry, the ledger and the lake's catalog. */
export interface KnownTable {
  row: TableRow;
  statistics: TableStatistics | undefined;
  physical: PhysicalTable | undefined;
}

/** Joins registry rows with what the lake knows of them. */
export async function describeTables(
  deps: ApiDeps,
  organizationId: string,
  rows: readonly TableRow[],
): Promise<KnownTable[]> {
  if (!rows.some(isInLake)) return rows.map((row) => ({ row, statistics: undefined, physical: undefined }));
  const { statistics, physical } = await storedFacts(deps.lake, organizationId, rows);
  return rows.map((row) => ({
    row,
    statistics: statistics.get(row.id),
    physical: isInLake(row) ? physical.get(row.name.toLowerCase()) : undefined,
  }));
}

export function tableView({ row, statistics, physical }: KnownTable): z.infer<typeof tableSchema> {
  const system = !isInLake(row);
  return {
    id: row.id,
    name: row.name,
    database: system ? 'system' : 'lake',
    schema: 'main',
    kind: row.kind as Exclude<TableKind, 'view'>,
    projectId: row.project_id,
    queryable: physical !== undefined,
    appendable: row.kind === 'data',
    rowCount: system ? null : (statistics?.rowCount ?? 0),
    sizeBytes: system ? null : (physical?.sizeBytes ?? 0),
    createdAt: row.created_at.toISOString(),
    updatedAt: lastChange(row, statistics).toISOString(),
  };
}

/** What other rows say of tables. */
export interface CatalogFacts {
  graph: DefinitionGraph;
  states: Awaited<ReturnType<typeof testedStates>>;
}

export async function catalogFacts(
  db: OrganizationTransaction,
  organizationId: string,
  tableIds: readonly string[],
): Promise<CatalogFacts> {
  return {
    graph: await loadGraph(db, organizationId),
    states: await testedStates(db, organizationId, tableIds),
  };
}

/** Catalog metadata of a table with physical storage. */
export function catalogView(
  { row, statistics, physical }: KnownTable,
  { graph, states }: CatalogFacts,
  compact: boolean,
): z.infer<typeof catalogSchema> {
  const tested = states.get(row.id);
  return {
    tableId: row.id,
    name: row.name,
    qualifiedName: `lake.main.${identifier(row.name)}`,
    description: row.description,
    ownerUserId: row.owner_user_id,
    ...(compact ? {} : { semantics: row.semantics as Record<string, unknown> }),
    modelingTier: row.modeling_tier,
    columns: notedColumns(
      row,
      (physical?.columns ?? []).map((column) => ({ ...column, dataType: decidedType(column) })),
      compact,
    ),
    lineage: lineageSummary(graph, row.id),
    verification: { state: tested?.state ?? 'untested', at: tested?.at.toISOString() ?? null },
    rowCount: statistics?.rowCount ?? 0,
    updatedAt: lastChange(row, statistics).toISOString(),
  };
}

function lastChange(row: TableRow, statistics: TableStatistics | undefined): Date {
  return statistics !== undefined && statistics.updatedAt > row.updated_at
    ? statistics.updatedAt
    : row.updated_at;
}
