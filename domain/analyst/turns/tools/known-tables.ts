import { AppError } from '../../../../data/errors.ts';
import { actingAsService } from '../../../../data/postgres/acting.ts';
import type { Analyzed } from '../../../../packages/sql-guard/index.ts';
import type { AttachedTable } from '../../../tables/catalog-entries/catalog-entries.ts';
import { currentDefinitions } from '../../../tables/definition-analyses/analyses.ts';
import { storedFacts } from '../../../tables/tables/stored.ts';
import type { ToolCall } from './tool.ts';

export interface KnownColumn {
  name: string;
  dataType: string;
  nullable: boolean;
}

/** An attached table or view with the columns that statements may name. */
export interface KnownTable extends AttachedTable {
  /** Null if it is not known without reading: of a view, and of what was never built. */
  rowCount: number | null;
  columns: KnownColumn[];
  /** Why a view cannot be read. */
  broken?: string;
}

/** The attached tables and views with their columns. */
export async function knownTables({ deps, organizationId, tables }: ToolCall): Promise<KnownTable[]> {
  if (tables.length === 0) return [];
  const defined = tables.filter(({ kind, isUnbuilt }) => kind === 'view' || isUnbuilt).map(({ id }) => id);
  const [{ physical, statistics }, { analyzed }] = await Promise.all([
    storedFacts(deps.lake, organizationId, tables),
    // What a view reads does not depend on who reads the view.
    defined.length === 0
      ? { analyzed: new Map<string, Analyzed>() }
      : actingAsService(() => currentDefinitions(deps, organizationId, defined)),
  ]);
  return tables.flatMap((table): KnownTable[] => {
    if (defined.includes(table.id))
      return [{ ...table, rowCount: null, ...columnsOf(analyzed.get(table.id)) }];
    const columns = physical.get(table.name.toLowerCase())?.columns;
    if (columns === undefined) return [];
    return [{ ...table, columns, rowCount: statistics.get(table.id)?.rowCount ?? 0 }];
  });
}

function columnsOf(analyzed: Analyzed | undefined): Pick<KnownTable, 'columns' | 'broken'> {
  if (analyzed === undefined) return { columns: [] };
  if ('failure' in analyzed) return { columns: [], broken: analyzed.failure.message.slice(0, 500) };
  return { columns: analyzed.columns.map((column) => ({ ...column, nullable: true })) };
}

/** @throws AppError not_found */
export async function knownTable(call: ToolCall, name: string): Promise<KnownTable> {
  const [found] = await knownTablesNamed(call, [name]);
  return found!;
}

/**
 * Each of these tables, once.
 *
 * @throws AppError not_found
 */
export async function knownTablesNamed(call: ToolCall, names: readonly string[]): Promise<KnownTable[]> {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const tables = call.tables.filter((table) => wanted.has(table.name.toLowerCase()));
  const known = await knownTables({ ...call, tables });
  const found = new Set(known.map((table) => table.name.toLowerCase()));
  const missing = names.find((name) => !found.has(name.toLowerCase()));
  if (missing === undefined) return known;
  throw new AppError(
    'not_found',
    `There is no attached table ${missing}. list_tables lists the attached tables.`,
  );
}
