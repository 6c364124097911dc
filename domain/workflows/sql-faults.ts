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
 * The statements of a draft's nodes. The engine reads them, in a process of its own: outside of any transaction.
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
    const bound = new Set(samples.map((sample) => boundSql(sql, () => sample)));
    const read = await firstTaken(bound, (one) => checkDraftSql(deps, { organizationId, sql: one, signal }));
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
      // One that cannot be cut at its placeholders is a fault of the graph itself.
      return typeof sql === 'string' && sql !== '' && !('message' in sqlPieces(sql))
        ? [{ sql, loc, hasInput }]
        : [];
    });
  });
}

const refusals: readonly string[] = ['query_failed', 'query_not_read_only'];

/** The tables of the first that is taken; where all are refused, why the first of them is. */
async function firstTaken(
  statements: Iterable<string>,
  check: (sql: string) => Promise<readonly string[]>,
): Promise<Pick<ReadStatement, 'refusal' | 'tables'>> {
  let first: AppError | undefined;
  for (const sql of statements) {
    try {
      return { tables: await check(sql) };
    } catch (error) {
      if (!(error instanceof AppError && refusals.includes(error.code))) throw error;
      first ??= error;
    }
  }
  return { tables: [], refusal: first?.message ?? 'It is no statement.' };
}
