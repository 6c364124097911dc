import { AppError, type ValidationFault } from '../../../../data/errors.ts';
import { checkDraftSql } from '../../../tables/query/check-draft.ts';
import type { QueryDeps } from '../../../tables/query/run.ts';
import { findNodeType } from '../graphs/node-types.ts';
import { type LooseGraph, sqlValuesIn } from '../graphs/sql-values.ts';
import type { Workflow } from './workflows.ts';

export type SqlFaultDeps = Pick<QueryDeps, 'lake' | 'queries'>;

/** A statement of a node, as the engine reads it. */
export interface ReadStatement {
  loc: (string | number)[];
  /** Why no run could make it. */
  refusal?: string;
  /** What it names as tables; nothing of one that is refused. */
  tables: readonly string[];
  /** Whether it reads what comes in as the table `input`. */
  hasInput: boolean;
}

/**
 * The statements of a draft's nodes. The engine reads them, in a process of its own: outside of any
 * transaction.
 *
 * @throws AppError `queries_saturated` where too many statements are read at once
 */
export async function readSqlOfDraft(
  deps: SqlFaultDeps,
  { organization_id: organizationId, graph }: Pick<Workflow, 'organization_id' | 'graph'>,
  signal: AbortSignal,
): Promise<ReadStatement[]> {
  const statements: ReadStatement[] = [];
  for (const { sql, ...place } of statementsOf(graph)) {
    const values = sqlValuesIn(sql, () => null, (graph ?? {}) as LooseGraph);
    const read = await readAs(() => checkDraftSql(deps, { organizationId, sql, values, signal }));
    statements.push({ ...place, ...read });
  }
  return statements;
}

/** Statements that no run could make, at their places. */
export const sqlFaults = (statements: readonly ReadStatement[]): ValidationFault[] =>
  statements.flatMap(({ loc, refusal }) =>
    refusal === undefined ? [] : [{ loc, type: 'value_error', msg: refusal }],
  );

/** Of a draft that may have any fault. */
function statementsOf(graph: unknown): (Pick<ReadStatement, 'loc' | 'hasInput'> & { sql: string })[] {
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
async function readAs(
  check: () => Promise<readonly string[]>,
): Promise<Pick<ReadStatement, 'refusal' | 'tables'>> {
  try {
    return { tables: await check() };
  } catch (error) {
    if (!(error instanceof AppError && refusals.includes(error.code))) throw error;
    return { tables: [], refusal: error.message };
  }
}
