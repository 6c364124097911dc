import { type Selectable, sql } from 'kysely';
import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import type { Run } from '../../workspace/runs/runs.ts';

/** A run of tests; its run has the same id. */
export type Verification = RecordOf<'verifications'>;
/** One table of such a run, at one version. */
export type VerifiedTable = Selectable<DB['verified_tables']>;
export type TestResult = Selectable<DB['verification_results']>;
export type Outcome = NonNullable<Verification['outcome']>;

export interface VerificationId {
  organizationId: string;
  runId: string;
}

const verifications = records('verifications', { prefix: undefined, what: 'The verification run' });

export const {
  find: findVerification,
  get: getVerification,
  insert: insertVerification,
  update: updateVerification,
  remove: removeVerification,
} = verifications;

/** A run as it is shown. What the viewer may not see of its tables is not there. */
export interface ShownVerification {
  id: string;
  run: Run;
  verification: Verification;
  tables: VerifiedTable[];
  results: TestResult[];
}

/** The newest first. With `tableId`, those that have tested this table. */
export async function listVerifications(
  db: OrganizationTransaction,
  organizationId: string,
  { after, limit, tableId }: Slice & { tableId: string | undefined },
): Promise<ShownVerification[]> {
  let query = db.selectFrom('verifications').select('id').where('organization_id', '=', organizationId);
  if (after !== undefined) query = query.where('id', '<', after);
  if (tableId !== undefined)
    query = query.where('id', 'in', (nested) =>
      nested
        .selectFrom('verified_tables')
        .select('run_id')
        .where('organization_id', '=', organizationId)
        .where('table_id', '=', tableId),
    );
  const rows = await query.orderBy('id', 'desc').limit(limit).execute();
  return described(
    db,
    organizationId,
    rows.map(({ id }) => id),
  );
}

/** @throws AppError not_found */
export async function showVerification(
  db: OrganizationTransaction,
  { organizationId, runId }: VerificationId,
): Promise<ShownVerification> {
  const [shown] = await described(db, organizationId, [runId]);
  if (shown === undefined) throw notFound('The verification run');
  return shown;
}

async function described(
  db: OrganizationTransaction,
  organizationId: string,
  wanted: readonly string[],
): Promise<ShownVerification[]> {
  const ids = ['', ...wanted];
  // Read first: of a run that has ended, all that is read after it is as it ended.
  const runs = await db
    .selectFrom('runs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  const rows = await db
    .selectFrom('verifications')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute();
  const tables = await tablesOfRuns(db, organizationId, ids);
  const [only] = wanted;
  const results =
    wanted.length === 1 && only !== undefined
      ? await resultsOfRun(db, organizationId, only)
      : await resultsOfList(db, organizationId, ids);
  return rows.flatMap((verification): ShownVerification[] => {
    const { id } = verification;
    const run = runs.find((run) => run.id === id);
    if (run === undefined) return [];
    const own = tables.filter((table) => table.run_id === id);
    const ownResults = results.filter((result) => result.run_id === id);
    return [{ id, run, verification, tables: own, results: ownResults }];
  });
}

export function tablesOfRuns(
  db: OrganizationTransaction,
  organizationId: string,
  runIds: readonly string[],
): Promise<VerifiedTable[]> {
  return db
    .selectFrom('verified_tables')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('run_id', 'in', runIds)
    .orderBy('position')
    .execute();
}

/** Characters of all samples of a run that are read together. */
const mostSampleCharacters = 2_097_152;

/** The results of a run; where they are many, only the first have samples. */
export async function resultsOfRun(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  tableId?: string,
): Promise<TestResult[]> {
  let query = db
    .selectFrom('verification_results')
    .selectAll()
    .select(
      sql<string>`CASE WHEN sum(length(sample)) OVER (ORDER BY table_id, position) <= ${mostSampleCharacters}
        THEN sample ELSE '[]' END`.as('sample'),
    )
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', runId);
  if (tableId !== undefined) query = query.where('table_id', '=', tableId);
  return (await query.orderBy('table_id').orderBy('position').execute()) as TestResult[];
}

/** Results that a list of runs shows, without samples. */
const mostListed = 2_000;

async function resultsOfList(
  db: OrganizationTransaction,
  organizationId: string,
  runIds: readonly string[],
): Promise<TestResult[]> {
  const rows = await db
    .selectFrom('verification_results')
    .select(['organization_id', 'run_id', 'table_id', 'position', 'definition_id', 'name', 'severity'])
    .select(['status', 'failing_rows', 'failures_table_id', 'message', 'elapsed_ms'])
    .where('organization_id', '=', organizationId)
    .where('run_id', 'in', runIds)
    .orderBy('run_id', 'desc')
    .orderBy('table_id')
    .orderBy('position')
    .limit(mostListed)
    .execute();
  return rows.map((row) => ({ ...row, sample: '[]' }));
}

/** The worst of these; passed if there are none. */
export function worst(outcomes: readonly (Outcome | null)[]): Outcome {
  if (outcomes.includes('failed')) return 'failed';
  return outcomes.includes('warned') ? 'warned' : 'passed';
}

/** What a result makes of its table. A test that cannot run is as bad as one that fails. */
export function outcomeOf({ status, severity }: Pick<TestResult, 'status' | 'severity'>): Outcome {
  if (status === 'passed') return 'passed';
  return severity === 'error' ? 'failed' : 'warned';
}
