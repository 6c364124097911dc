import { type Client, isGrpcServiceError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type proto from '@temporalio/proto';
import { sql } from 'kysely';
import { type Database, inOrganization, type OrganizationTransaction } from '../postgres/client.ts';

/**
 * A process whose workflow task fails repeatedly: its code throws, or differs from the code that wrote its
 * history. Temporal retries the task forever and lists the process as running.
 */
export interface FailingProcess {
  organizationId: string;
  workflowId: string;
  kind: string;
  /** Temporal's name for the cause, such as `NonDeterministicError`. */
  cause: string;
}

/** A process not reported for this long is considered recovered. */
const reportedWithinSeconds = 180;

/** Server 1.30 and newer set this attribute; an older one rejects its name. */
const marked = `TemporalReportedProblems IS NOT NULL AND ExecutionStatus = 'Running'`;
const pageSize = 100;
const deadlineMs = 10_000;

type Executions = proto.temporal.api.workflowservice.v1.IListWorkflowExecutionsResponse;

/**
 * Looks for failing processes. On a server that does not mark them, each look checks one page of the running
 * processes.
 */
export type FailingLook = () => Promise<FailingProcess[]>;

export function lookForFailing(client: Client): FailingLook {
  let isMarking = true;
  let nextPageToken: Uint8Array | null | undefined;
  const list = (query: string, token?: Uint8Array | null): Promise<Executions> =>
    client.withDeadline(Date.now() + deadlineMs, () =>
      client.workflowService.listWorkflowExecutions({
        namespace: client.options.namespace,
        query,
        pageSize,
        nextPageToken: token ?? new Uint8Array(),
      }),
    );

  return async () => {
    if (isMarking) {
      try {
        return (await list(marked)).executions?.flatMap((seen) => failingOf(seen, reportedCause(seen))) ?? [];
      } catch (error) {
        if (!isGrpcServiceError(error) || error.code !== invalidArgument) throw error;
        isMarking = false;
      }
    }
    const page = await list(`ExecutionStatus = 'Running'`, nextPageToken);
    ({ nextPageToken } = page);
    const failing: FailingProcess[] = [];
    for (const seen of page.executions ?? []) {
      const { workflowId, runId } = seen.execution ?? {};
      const { pendingWorkflowTask } = await client.workflowService.describeWorkflowExecution({
        namespace: client.options.namespace,
        execution: { workflowId, runId },
      });
      if ((pendingWorkflowTask?.attempt ?? 0) >= attemptsToReport)
        failing.push(...failingOf(seen, 'WorkflowTaskFailed'));
    }
    return failing;
  };
}

const invalidArgument = 3;
/**
 * Attempts of one task after which it counts as failing, on a server that does not mark failing processes.
 */
const attemptsToReport = 5;

type Execution = NonNullable<Executions['executions']>[number];

function failingOf(seen: Execution, cause: string): FailingProcess[] {
  const organizationId = attribute(seen, 'OrganizationId');
  const workflowId = seen.execution?.workflowId;
  // Other applications may use the namespace too.
  if (typeof organizationId !== 'string' || !workflowId) return [];
  return [{ organizationId, workflowId, kind: String(attribute(seen, 'ProcessKind') ?? ''), cause }];
}

/**
 * Extracts the cause from `["category=WorkflowTaskFailed",
 * "cause=WorkflowTaskFailedCauseNonDeterministicError"]`.
 */
function reportedCause(seen: Execution): string {
  const reported = attribute(seen, 'TemporalReportedProblems');
  const cause = (Array.isArray(reported) ? reported : [reported]).find((word) =>
    String(word).startsWith('cause='),
  );
  return String(cause ?? 'cause=WorkflowTaskFailed')
    .slice('cause='.length)
    .replace(/^WorkflowTask(Failed|TimedOut)Cause(?=\w)/, '');
}

function attribute(seen: Execution, name: string): unknown {
  const payload = seen.searchAttributes?.indexedFields?.[name];
  return payload == null ? undefined : defaultPayloadConverter.fromPayload(payload);
}

/** Records a failing process; true if it is new. */
export async function recordFailing(db: Database, process: FailingProcess): Promise<boolean> {
  const { organizationId, workflowId, kind, cause } = process;
  return inOrganization(db, organizationId, async (transaction) => {
    const known = await transaction
      .selectFrom('failing_processes')
      .select('workflow_id')
      .where('organization_id', '=', organizationId)
      .where('workflow_id', '=', workflowId)
      .executeTakeFirst();
    await transaction
      .insertInto('failing_processes')
      .values({ organization_id: organizationId, workflow_id: workflowId, kind, cause })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'workflow_id'])
          .doUpdateSet({ cause, last_seen_at: sql`clock_timestamp()` }),
      )
      .execute();
    return known === undefined;
  });
}

/** Deletes records of processes that have recovered or ended. */
export async function forgetRecovered(db: Database): Promise<void> {
  await sql`SELECT forget_failing_processes(make_interval(secs => ${reportedWithinSeconds}))`.execute(db);
}

/** Number of failing processes by kind, over all organizations. */
export async function countFailing(db: Database): Promise<Record<string, number>> {
  const { rows } = await sql<{ kind: string; failing: number }>`
    SELECT kind, failing FROM count_failing_processes(make_interval(secs => ${reportedWithinSeconds}))
  `.execute(db);
  return Object.fromEntries(rows.map(({ kind, failing }) => [kind, Number(failing)]));
}

export interface ProcessProblem {
  cause: string;
  since: Date;
}

/** Which of these processes are failing, and since when. */
export async function problemsOf(
  db: OrganizationTransaction,
  organizationId: string,
  workflowIds: readonly string[],
): Promise<Map<string, ProcessProblem>> {
  if (workflowIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('failing_processes')
    .select(['workflow_id', 'cause', 'first_seen_at'])
    .where('organization_id', '=', organizationId)
    .where('workflow_id', 'in', workflowIds)
    .where('last_seen_at', '>', sql<Date>`now() - make_interval(secs => ${reportedWithinSeconds})`)
    .execute();
  return new Map(
    rows.map((row) => [row.workflow_id, { cause: row.cause, since: row.first_seen_at as Date }]),
  );
}
