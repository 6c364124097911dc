import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type Outcome, resultsOfRun, type TestResult } from './verifications.ts';

export type TableState = 'passing' | 'warning' | 'failing' | 'untested';

const stateOf: Readonly<Record<Outcome, TableState>> = {
  passed: 'passing',
  warned: 'warning',
  failed: 'failing',
};

/** What the tests of a table said of the newest of its versions that was tested. */
export interface TableVerification {
  state: TableState;
  version: number | null;
  at: Date | null;
  results: (TestResult & { history: TestTurn[]; flapping: boolean })[];
  /** The newest first. */
  history: { runId: string; at: Date; outcome: Outcome }[];
}

/** What a test said in one of the runs before, newest first. */
export interface TestTurn {
  runId: string;
  at: Date;
  status: TestResult['status'];
}

const mostHistory = 50;
/** Runs in which the turns of tests are looked for; a run may be of some tests only. */
const runsLooked = 20;
const turnsLooked = 10;
/** A test that changes sides so often in its last ten runs says little. */
const flappingChanges = 5;

/** The newest run of each of these tables that tested it as it is there; gates try what nobody has seen. */
export async function testedStates(
  db: OrganizationTransaction,
  organizationId: string,
  tableIds: readonly string[],
): Promise<Map<string, { state: TableState; at: Date }>> {
  const { rows } = await sql<{ table_id: string; outcome: Outcome; finished_at: Date }>`
    SELECT DISTINCT ON (t.table_id) t.table_id, t.outcome, t.finished_at
    FROM verified_tables t JOIN verifications v ON v.organization_id = t.organization_id AND v.id = t.run_id
    WHERE t.organization_id = ${organizationId} AND t.finished_at IS NOT NULL AND t.outcome IS NOT NULL
      AND v.gate_of IS NULL AND v.definition_ids IS NULL AND t.table_id = ANY(${[...tableIds]})
    ORDER BY t.table_id, t.version DESC NULLS LAST, t.finished_at DESC`.execute(db);
  return new Map(rows.map((row) => [row.table_id, { state: stateOf[row.outcome], at: row.finished_at }]));
}

/** A table whose tests fail in the newest of its versions that was tested. */
export interface FailingTable {
  tableId: string;
  at: Date;
  /** Names of the tests of severity error that fail or cannot run. */
  tests: string[];
}

/** Those of these tables whose tests fail. */
export async function failingTables(
  db: OrganizationTransaction,
  organizationId: string,
  tableIds: readonly string[],
): Promise<FailingTable[]> {
  if (tableIds.length === 0) return [];
  const { rows } = await sql<{ table_id: string; finished_at: Date; tests: string[] }>`
    SELECT newest.table_id, newest.finished_at, array_agg(r.name ORDER BY r.position) AS tests
    FROM (
      SELECT DISTINCT ON (t.table_id) t.table_id, t.run_id, t.outcome, t.finished_at
      FROM verified_tables t JOIN verifications v ON v.organization_id = t.organization_id AND v.id = t.run_id
      WHERE t.organization_id = ${organizationId} AND t.table_id = ANY(${tableIds}::text[])
        AND t.outcome IS NOT NULL AND v.gate_of IS NULL AND v.definition_ids IS NULL
      ORDER BY t.table_id, t.version DESC NULLS LAST, t.finished_at DESC) newest
    JOIN verification_results r ON r.organization_id = ${organizationId} AND r.run_id = newest.run_id
      AND r.table_id = newest.table_id AND r.severity = 'error' AND r.status <> 'passed'
    WHERE newest.outcome = 'failed'
    GROUP BY newest.table_id, newest.finished_at ORDER BY newest.table_id`.execute(db);
  return rows.map((row) => ({ tableId: row.table_id, at: row.finished_at, tests: row.tests }));
}

export async function tableVerification(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<TableVerification> {
  const runs = await db
    .selectFrom('verified_tables as t')
    .innerJoin('verifications as v', (join) =>
      join.onRef('v.organization_id', '=', 't.organization_id').onRef('v.id', '=', 't.run_id'),
    )
    .select(['t.run_id', 't.version', 't.outcome', 't.finished_at', 'v.definition_ids'])
    .where('t.organization_id', '=', organizationId)
    .where('t.table_id', '=', tableId)
    .where('t.finished_at', 'is not', null)
    .where('v.gate_of', 'is', null)
    .orderBy('t.finished_at', 'desc')
    .limit(mostHistory)
    .execute();
  const whole = runs.filter(({ definition_ids: only }) => only === null);
  const newest = whole.toSorted((left, right) => (right.version ?? 0) - (left.version ?? 0))[0];
  const results = newest === undefined ? [] : await resultsOfRun(db, organizationId, newest.run_id, tableId);
  const turns = await db
    .selectFrom('verification_results')
    .select(['run_id', 'definition_id', 'status'])
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .where('run_id', 'in', ['', ...runs.slice(0, runsLooked).map(({ run_id: id }) => id)])
    .execute();
  const byDefinition = Map.groupBy(turns, (turn) => turn.definition_id);
  const history = runs.map((run) => ({
    ...{ runId: run.run_id, at: run.finished_at!, outcome: run.outcome! },
  }));
  const turnsOf = (definitionId: string): TestTurn[] => {
    const status = new Map(byDefinition.get(definitionId)?.map((turn) => [turn.run_id, turn.status]));
    return history
      .flatMap(({ runId, at }) => (status.has(runId) ? [{ runId, at, status: status.get(runId)! }] : []))
      .slice(0, turnsLooked);
  };
  return {
    state: newest?.outcome == null ? 'untested' : stateOf[newest.outcome],
    version: newest?.version ?? null,
    at: newest?.finished_at ?? null,
    results: results.map((result) => {
      const own = turnsOf(result.definition_id);
      return { ...result, history: own, flapping: isFlapping(own) };
    }),
    history,
  };
}

/** Whether the test changed between passing and not five times in its last ten runs. */
export function isFlapping(turns: readonly Pick<TestTurn, 'status'>[]): boolean {
  const sides = turns.slice(0, turnsLooked).map(({ status }) => status === 'passed');
  return sides.filter((side, at) => at > 0 && side !== sides[at - 1]).length >= flappingChanges;
}
