import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { runKind } from './kinds.ts';
import type { Run } from './runs.ts';

interface Output {
  materialized?: { tableId: string }[];
  skipped?: string[];
}

/**
 * A run may build tables that not everybody who sees the run may see: to them, its steps and output are
 * without those. An engine's message may show values of a table.
 */
export async function withoutHiddenTables<Shown extends Run>(
  db: OrganizationTransaction,
  organizationId: string,
  runs: readonly Shown[],
): Promise<Shown[]> {
  const namesTables = ({ kind }: Run) => runKind(kind).namesTables === true;
  const naming = runs.filter(namesTables);
  const ids = [...new Set(naming.flatMap(tablesOf))];
  if (ids.length === 0) return [...runs];
  const rows = await db
    .selectFrom('tables')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', sql<string>`ANY(${ids}::text[])`)
    .execute();
  const visible = new Set(rows.map(({ id }) => id));
  return runs.map((run) => {
    if (!namesTables(run) || tablesOf(run).every((id) => visible.has(id))) return run;
    const { materialized, skipped, ...output } = outputOf(run);
    return {
      ...run,
      steps: run.steps.filter(({ id }) => visible.has(id)),
      output: {
        ...output,
        ...(materialized && { materialized: materialized.filter(({ tableId }) => visible.has(tableId)) }),
        ...(skipped && { skipped: skipped.filter((id) => visible.has(id)) }),
      } as Shown['output'],
    };
  });
}

const outputOf = (run: Run): Output => (run.output ?? {}) as Output;

function tablesOf(run: Run): string[] {
  const { materialized = [], skipped = [] } = outputOf(run);
  return [...run.steps.map(({ id }) => id), ...materialized.map(({ tableId }) => tableId), ...skipped];
}
