import { AppError, type ValidationFault } from '../../data/errors.ts';
import { checkDraftSql } from '../query/check-draft.ts';
import type { QueryDeps } from '../query/run.ts';
import { findNodeType } from '../workflow-graphs/node-types.ts';
import { sqlPieces } from '../workflow-graphs/sql-text.ts';
import { boundSql } from '../workflow-graphs/sql-values.ts';
import type { Workflow } from './workflows.ts';

export type SqlFaultDeps = Pick<QueryDeps, 'lake' | 'queries'>;

/** One of these is something that may stand where a placeholder does, whatever comes there. */
const samples = ['', 0, null];

/**
 * Statements of a draft's nodes that no run could make, at their places. The engine reads them, in a process of its own:
 * outside of any transaction.
 *
 * @throws AppError `queries_saturated` where too many statements are read at once
 */
export async function sqlFaultsOfDraft(
  deps: SqlFaultDeps,
  { organization_id: organizationId, graph }: Workflow,
  signal: AbortSignal,
): Promise<ValidationFault[]> {
  const faults: ValidationFault[] = [];
  for (const { sql, loc } of statementsOf(graph)) {
    const bound = new Set(samples.map((sample) => boundSql(sql, () => sample)));
    const refusal = await firstRefusal(bound, (one) =>
      checkDraftSql(deps, { organizationId, sql: one, signal }),
    );
    if (refusal !== undefined) faults.push({ loc, type: 'value_error', msg: refusal.message });
  }
  return faults;
}

/** Of a draft that may have any fault. */
function statementsOf(graph: unknown): { sql: string; loc: (string | number)[] }[] {
  const { nodes } = (graph ?? {}) as { nodes?: unknown };
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: unknown, index) => {
    const { type, config } = (node ?? {}) as { type?: unknown; config?: Record<string, unknown> | null };
    return (findNodeType(String(type))?.sqlKeys ?? []).flatMap((key) => {
      const sql = config?.[key];
      const loc = ['body', 'graph', 'nodes', index, 'config', key];
      // One that cannot be cut at its placeholders is a fault of the graph itself.
      return typeof sql === 'string' && sql !== '' && !('message' in sqlPieces(sql)) ? [{ sql, loc }] : [];
    });
  });
}

const refusals: readonly string[] = ['query_failed', 'query_not_read_only'];

/** Why the first of them is refused, where all are. */
async function firstRefusal(
  statements: Iterable<string>,
  check: (sql: string) => Promise<void>,
): Promise<AppError | undefined> {
  let first: AppError | undefined;
  for (const sql of statements) {
    try {
      await check(sql);
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError && refusals.includes(error.code))) throw error;
      first ??= error;
    }
  }
  return first;
}
