import { sql } from 'kysely';
import type { ValidationFault } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { foldName } from '../../../tables/query/guard/tree.ts';
import { listQueryable } from '../../../tables/tables/tables.ts';
import type { ReadStatement } from './sql-faults.ts';
import type { Workflow } from './workflows.ts';

/** More would not help anyone who corrects them. */
const maxWarnings = 100;

/**
 * Tables that statements name but that do not exist. They may be created before a run, so these are only
 * warnings; tables created by the graph itself exist by the time they are read.
 */
export async function unknownTableWarnings(
  db: OrganizationTransaction,
  { organization_id: organizationId, graph }: Pick<Workflow, 'organization_id' | 'graph'>,
  statements: readonly ReadStatement[],
): Promise<ValidationFault[]> {
  const tables = (await listQueryable(db, organizationId)).map(({ name }) => foldName(name));
  const known = new Set([...tables, ...(await copiedTables(db, organizationId, graph))]);
  return statements
    .flatMap(({ loc, tables: named, hasInput }) =>
      named
        // A table named by a parameter is not known yet.
        .filter((name) => name !== '' && !known.has(foldName(name)))
        .filter((name) => !hasInput || foldName(name) !== 'input')
        .map((name) => ({ loc, type: 'unknown_table', msg: unknownText(name) })),
    )
    .slice(0, maxWarnings);
}

const unknownText = (name: string): string =>
  `There is no table ${name}. A run fails unless it is made before; correct the name if it is misspelt.`;

/**
 * The tables that the graph's snapshots will create: those of the datasets it names, or of any dataset if a
 * placeholder names it.
 */
async function copiedTables(
  db: OrganizationTransaction,
  organizationId: string,
  graph: unknown,
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
