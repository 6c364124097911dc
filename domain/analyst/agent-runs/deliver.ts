import { AppError, isRetryable, ValidationError } from '../../../data/errors.ts';
import { derivedId } from '../../../data/ids.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { AgentRunInput, AgentRunOutcome } from '../../../workflows/analyst/agent-run/contract.ts';
import type { ReportDeps } from '../../publishing/reports/assets.ts';
import { storeReport } from '../../publishing/reports/store.ts';
import { writeFile } from '../../workspace/files/write.ts';
import { findRun, moveRun, type Run, runStates } from '../../workspace/runs/runs.ts';
import { findConversation, updateConversation } from '../conversations/conversations.ts';
import { type Message, partsOf } from '../conversations/messages.ts';
import { removeConversation } from '../conversations/remove.ts';
import { readBy } from '../conversations/withheld.ts';
import { type AgentRun, getAgentRun } from './agent-runs.ts';
import { answerOf, type DeliveredAnswer } from './answer.ts';
import { endAgentRun, failureOf, outcomeOf, turnOfRun } from './lifecycle.ts';
import { reportIdOf } from './start.ts';

export type DeliverDeps = ReportDeps & { objects: Pick<ObjectStore, 'removeAll'> };

interface Found {
  row: AgentRun;
  run: Run;
  reply: Message | undefined;
  answer: DeliveredAnswer;
}

/**
 * Stores the text of a complete turn as its run's report or file, and ends the run with it. The id of the
 * result is derived from the run's, so a second attempt finds it. A turn that did not complete delivers
 * nothing.
 */
export async function deliverAgentRun(deps: DeliverDeps, input: AgentRunInput): Promise<AgentRunOutcome> {
  const found = await inOrganization(deps.db, input.organizationId, (db) => find(db, input));
  if (found === undefined) return endAgentRun(deps.db, input, undefined);
  const { run, reply } = found;
  if (runStates.isEnd(run.status)) return outcomeOf(run);
  if (reply?.status !== 'complete') return endAgentRun(deps.db, input, failureOf(reply));
  try {
    return await deliver(deps, found, reply);
  } catch (error) {
    if (isRetryable(error)) throw error;
    return endAgentRun(deps.db, input, refusalOf(error));
  }
}

async function find(
  db: OrganizationTransaction,
  { organizationId, runId }: AgentRunInput,
): Promise<Found | undefined> {
  const row = await getAgentRun(db, organizationId, runId);
  const run = await findRun(db, organizationId, runId);
  if (run === undefined) return undefined;
  const reply = await turnOfRun(db, row);
  const parts = (await partsOf(db, organizationId, [row.message_id])).get(row.message_id) ?? [];
  return { row, run, reply, answer: answerOf(parts) };
}

async function deliver(deps: DeliverDeps, found: Found, reply: Message): Promise<AgentRunOutcome> {
  const { row } = found;
  const output = row.output;
  if (found.answer.content.trim() === '') return endAgentRun(deps.db, inputOf(row), emptyAnswer);
  try {
    if (output.type === 'report') await deliverReport(deps, found, reply, output.title);
    else await deliverFile(deps, found, output.path);
  } catch (error) {
    if (!(error instanceof RunEnded)) throw error;
  }
  return inOrganization(deps.db, row.organization_id, async (db) =>
    outcomeOf((await findRun(db, row.organization_id, row.id))!),
  );
}

const emptyAnswer = { code: 'answer_empty', message: 'The analyst ended without an answer.' };

const inputOf = ({ organization_id: organizationId, id: runId }: AgentRun): AgentRunInput => ({
  organizationId,
  runId,
});

async function deliverFile(deps: DeliverDeps, { row, answer }: Found, path: string): Promise<void> {
  await writeFile(deps, {
    organizationId: row.organization_id,
    projectId: row.project_id,
    path,
    bytes: Buffer.from(answer.content),
    id: derivedId('fil', row.created_at.getTime(), row.id),
    within: (db, file) => succeed(db, row, { fileId: file.id }),
  });
}

async function deliverReport(
  deps: DeliverDeps,
  { row, answer }: Found,
  reply: Message,
  title: string,
): Promise<void> {
  const report = {
    organizationId: row.organization_id,
    projectId: row.project_id,
    id: reportIdOf(row.id),
    title: title.trim() === '' ? answer.title : title,
    content: answer.content,
    source: row.source,
    sourceId: row.playbook_id ?? row.id,
    dataVersions: reply.data_versions.filter(({ tableId }) => readBy(reply).includes(tableId)),
    createdBy: row.created_by,
    writeId: row.id,
  };
  await storeReport(deps, report, (db, { id: reportId }) => succeed(db, row, { reportId }));
}

/** Another attempt was first, or the run was ended; this attempt's result is discarded. */
class RunEnded extends Error {
  override readonly name = 'RunEnded';
}

/** Ends the run in the transaction that creates its result: once, however many attempts there are. */
async function succeed(
  db: OrganizationTransaction,
  row: AgentRun,
  output: Record<string, string>,
): Promise<void> {
  const change = { progress: 1, output: JSON.stringify(output) };
  if ((await moveRun(db, row, 'running', 'succeeded', change)) === undefined)
    throw new RunEnded('The run has ended.');
}

function refusalOf(error: unknown): { code: string; message: string } {
  if (error instanceof AppError) return { code: error.code, message: error.message };
  const [fault] = error instanceof ValidationError ? error.faults : [];
  return { code: 'invalid_request', message: fault?.msg ?? 'The result could not be stored.' };
}

/** Removes the analyst's working data. The run keeps its steps, and a report what it shows. */
export async function clearAgentRun(
  deps: DeliverDeps,
  { organizationId, runId }: AgentRunInput,
): Promise<void> {
  const conversationId = await inOrganization(deps.db, organizationId, async (db) => {
    const { conversation_id: id } = await getAgentRun(db, organizationId, runId);
    const conversation = await findConversation(db, organizationId, id);
    if (conversation?.deleted_at === null)
      await updateConversation(db, organizationId, id, { deleted_at: new Date() });
    return conversation?.id;
  });
  if (conversationId !== undefined) await removeConversation(deps, { organizationId, conversationId });
}
