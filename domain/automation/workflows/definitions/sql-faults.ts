import { sql } from 'kysely';
import { AppError, type ValidationFault } from '../../../../data/errors.ts';
import { inOrganization, type OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { foldName } from '../../../../packages/sql-guard/index.ts';
import { checkDraftSql, nameFault } from '../../../tables/query/check-draft.ts';
import type { SqlValues } from '../../../tables/query/request.ts';
import type { QueryDeps } from '../../../tables/query/run.ts';
import { listQueryable } from '../../../tables/tables/registry.ts';
import { actAs } from '../../../workspace/organizations/rights.ts';
import { findNodeType } from '../graphs/node-types.ts';
import { type LooseGraph, sqlValuesIn } from '../graphs/sql-values.ts';
import type { Workflow } from './workflows.ts';

type Draft = Pick<Workflow, 'organization_id' | 'owner_id' | 'graph'>;

interface NodeStatement {
  loc: (string | number)[];
  sql: string;
  /** Whether its node's input is readable as the table `input`, whose columns only a run knows. */
  hasInput: boolean;
}

/**
 * Faults for statements that no run could execute, at their locations: statements that may not run, and
 * tables and columns that don't exist. The engine reads them in a separate process, outside any transaction.
 *
 * @throws AppError `queries_saturated` if too many statements are being read
 */
export async function sqlFaultsOfDraft(
  deps: QueryDeps,
  draft: Draft,
  signal: AbortSignal,
): Promise<ValidationFault[]> {
  const statements = statementsOf(draft.graph);
  if (statements.length === 0) return [];
  const { organization_id: organizationId, owner_id: ownerId } = draft;
  const tables = await inOrganization(deps.db, organizationId, async (db) => {
    await actAs(db, organizationId, ownerId);
    return tablesOf(db, draft);
  });
  const faults: ValidationFault[] = [];
  for (const statement of statements) {
    const values = sqlValuesIn(statement.sql, () => ({ value: null }), (draft.graph ?? {}) as LooseGraph);
    faults.push(...(await faultsOf(deps, draft, { ...statement, values }, tables, signal)));
  }
  return faults;
}

async function faultsOf(
  deps: QueryDeps,
  { organization_id: organizationId, owner_id: actsFor }: Draft,
  { loc, sql, hasInput, values }: NodeStatement & { values: SqlValues },
  tables: DraftTables,
  signal: AbortSignal,
): Promise<ValidationFault[]> {
  const draft = { organizationId, sql, values, signal };
  const read = await namesOrRefusal(() => checkDraftSql(deps, draft));
  if (typeof read === 'string') return [{ loc, type: 'value_error', msg: read }];
  // A table named by a parameter has no name yet.
  const named = read.filter((name) => !(hasInput && foldName(name) === 'input')).map(foldName);
  const isKnown = (name: string) => name === '' || tables.present.has(name) || tables.made.has(name);
  const unknown = read.filter((name) => named.includes(foldName(name)) && !isKnown(foldName(name)));
  if (unknown.length > 0)
    return unknown.map((name) => ({ loc, type: 'unknown_table', msg: `There is no table ${name}.` }));
  // The columns of the input, and of tables that are made later, are known only in a run.
  const isSettled = named.length === read.length && named.every((name) => tables.built.has(name));
  const fault = isSettled ? await nameFault(deps, { ...draft, actsFor }) : undefined;
  return fault === undefined ? [] : [{ loc, type: 'value_error', msg: fault }];
}

/** The draft may have any fault. */
function statementsOf(graph: unknown): NodeStatement[] {
  const { nodes } = (graph ?? {}) as { nodes?: unknown };
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: unknown, index) => {
    const { type, config } = (node ?? {}) as { type?: unknown; config?: Record<string, unknown> | null };
    const { sqlKeys = [], inputs = [] } = findNodeType(String(type)) ?? {};
    const hasInput = inputs.some(({ name }) => name === 'input');
    return sqlKeys.flatMap((key) => {
      const sql = config?.[key];
      const loc = ['body', 'graph', 'nodes', index, 'config', key];
      return typeof sql === 'string' && sql !== '' ? [{ sql, loc, hasInput }] : [];
    });
  });
}

const refusals: readonly string[] = ['query_failed', 'query_not_read_only'];

/** The tables that it names, or why it is refused. */
async function namesOrRefusal(check: () => Promise<readonly string[]>): Promise<readonly string[] | string> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof AppError && refusals.includes(error.code)) return error.message;
    throw error;
  }
}

/** Folded names. */
interface DraftTables {
  /** Those that its owner may read. */
  present: ReadonlySet<string>;
  /** Of these, without calculated tables that were never built. */
  built: ReadonlySet<string>;
  /** Those that the graph's snapshots make. */
  made: ReadonlySet<string>;
}

async function tablesOf(db: OrganizationTransaction, draft: Draft): Promise<DraftTables> {
  const present = await listQueryable(db, draft.organization_id);
  return {
    present: new Set(present.map(({ name }) => foldName(name))),
    built: new Set(present.flatMap(({ name, isUnbuilt }) => (isUnbuilt ? [] : [foldName(name)]))),
    made: new Set(await copiedTables(db, draft)),
  };
}

/** The tables of the datasets that the graph copies, or of any dataset if a placeholder names it. */
async function copiedTables(
  db: OrganizationTransaction,
  { organization_id: organizationId, graph }: Draft,
): Promise<string[]> {
  const { nodes } = (graph ?? {}) as { nodes?: unknown };
  const ids = (Array.isArray(nodes) ? nodes : [])
    .filter((node) => node?.type === 'snapshot')
    .map((node) => String(node.config?.dataset_id));
  if (ids.length === 0) return [];
  const isOpen = ids.some((id) => id.includes('${'));
  const rows = await db
    .selectFrom('datasets')
    .select('snapshot_table_name as name')
    .where('organization_id', '=', organizationId)
    .where(({ eb }) => (isOpen ? sql<boolean>`true` : eb('id', 'in', ids)))
    .execute();
  return rows.map(({ name }) => foldName(name));
}
