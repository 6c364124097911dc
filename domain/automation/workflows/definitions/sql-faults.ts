import { AppError, type ValidationFault } from '../../../../data/errors.ts';
import { checkDraftSql } from '../../../tables/query/check-draft.ts';
import type { QueryDeps } from '../../../tables/query/run.ts';
import { findNodeType } from '../graphs/node-types.ts';
import { type LooseGraph, sqlValuesIn } from '../graphs/sql-values.ts';
import type { Workflow } from './workflows.ts';

export type SqlFaultDeps = Pick<QueryDeps, 'lake' | 'queries'>;

/** A node's statement as parsed by the engine. */
export interface ReadStatement {
  loc: (string | number)[];
  /** Why no run could execute it. */
  refusal?: string;
  /** The tables that it names; empty if it is refused. */
  tables: readonly string[];
  /** Whether its node's input is readable as the table `input`. */
  hasInput: boolean;
}

/**
 * Parses the statements of a draft's nodes. The engine does so in a separate process, outside any
 * transaction.
 *
 * @throws AppError `queries_saturated` if too many statements are being parsed
 */
export async function readSqlOfDraft(
  deps: SqlFaultDeps,
  { organization_id: organizationId, graph }: Pick<Workflow, 'organization_id' | 'graph'>,
  signal: AbortSignal,
): Promise<ReadStatement[]> {
  const statements: ReadStatement[] = [];
  for (const { sql, ...place } of statementsOf(graph)) {
    const values = sqlValuesIn(sql, () => ({ value: null }), (graph ?? {}) as LooseGraph);
    const read = await readAs(() => checkDraftSql(deps, { organizationId, sql, values, signal }));
    statements.push({ ...place, ...read });
  }
  return statements;
}

/** Faults for statements that no run could execute, at their locations. */
export const sqlFaults = (statements: readonly ReadStatement[]): ValidationFault[] =>
  statements.flatMap(({ loc, refusal }) =>
    refusal === undefined ? [] : [{ loc, type: 'value_error', msg: refusal }],
  );

/** The draft may have any fault. */
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
