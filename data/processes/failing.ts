import { type Client, isGrpcServiceError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type proto from '@temporalio/proto';
import { sql } from 'kysely';
import { type Database, inOrganization, type OrganizationTransaction } from '../postgres/client.ts';

/**
 * Processes whose tasks fail again and again: their code ends in an error, or is another than what their
 * history was written by. Temporal tries them for ever, and calls them running.
 */
export interface FailingProcess {
  organizationId: string;
  workflowId: string;
  kind: string;
  /** As Temporal names it: `NonDeterministicError` and the like. */
  cause: string;
}

/** What is no longer told of for so long goes on. */
const toldWithinSeconds = 180;

/** Server 1.30 and newer mark them; an older one refuses the name. */
const marked = `TemporalReportedProblems IS NOT NULL AND ExecutionStatus = 'Running'`;
const pageSize = 100;
const deadlineMs = 10_000;

type Executions = proto.temporal.api.workflowservice.v1.IListWorkflowExecutionsResponse;

/**
 * Looks for them. A server that does not mark them by itself is asked of one page of what runs at each look.
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
      if ((pendingWorkflowTask?.attempt ?? 0) >= attemptsToTell)
        failing.push(...failingOf(seen, 'WorkflowTaskFailed'));
    }
    return failing;
  };
}

const invalidArgument = 3;
/** Of one task, where the server does not say by itself that there is a problem. */
const attemptsToTell = 5;

type Execution = NonNullable<Executions['executions']>[number];

function failingOf(seen: Execution, cause: string): FailingProcess[] {
  const organizationId = attribute(seen, 'OrganizationId');
  const workflowId = seen.execution?.workflowId;
  // Others may use the namespace too.
  if (typeof organizationId !== 'string' || !workflowId) return [];
  return [{ organizationId, workflowId, kind: String(attribute(seen, 'ProcessKind') ?? ''), cause }];
}

/**
 * `["category=WorkflowTaskFailed", "cause=WorkflowTaskFailedCauseNonDeterministicError"]` names the cause.
 */
function reportedCause(seen: Execution): string {
  const told = attribute(seen, 'TemporalReportedProblems');
  const cause = (Array.isArray(told) ? told : [told]).find((word) => String(word).startsWith('cause='));
  return String(cause ?? 'cause=WorkflowTaskFailed')
    .slice('cause='.length)
    .replace(/^WorkflowTask(Failed|TimedOut)Cause(?=\w)/, '');
}

function attribute(seen: Execution, name: string): unknown {
  const payload = seen.searchAttributes?.indexedFields?.[name];
  return payload == null ? undefined : defaultPayloadConverter.fromPayload(payload);
}

/** Keeps what a look found. True where it is new. */
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

/** What failed and goes on by now, or is over, is forgotten. */
export async function forgetRecovered(db: Database): Promise<void> {
  await sql`SELECT forget_failing_processes(make_interval(secs => ${toldWithinSeconds}))`.execute(db);
}

/** How many of each kind there are, over all organizations. */
export async function countFailing(db: Database): Promise<Record<string, number>> {
  const { rows } = await sql<{ kind: string; failing: number }>`
    SELECT kind, failing FROM count_failing_processes(make_interval(secs => ${toldWithinSeconds}))
  `.execute(db);
  return Object.fromEntries(rows.map(({ kind, failing }) => [kind, Number(failing)]));
}

export interface ProcessProblem {
  cause: string;
  since: Date;
}

/** Which of these processes fail, and since when. */
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
    .where('last_seen_at', '>', sql<Date>`now() - make_interval(secs => ${toldWithinSeconds})`)
    .execute();
  return new Map(
    rows.map((row) => [row.workflow_id, { cause: row.cause, since: row.first_seen_at as Date }]),
  );
}
