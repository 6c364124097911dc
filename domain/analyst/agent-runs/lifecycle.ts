import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { AgentRunInput, AgentRunOutcome } from '../../../workflows/analyst/agent-run/contract.ts';
import type { TurnInput } from '../../../workflows/analyst/conversation/contract.ts';
import { findRun, internalFailure, moveRun, type Run, runStates } from '../../workspace/runs/runs.ts';
import { insertConversation, lockConversation } from '../conversations/conversations.ts';
import { findMessage, type Message } from '../conversations/messages.ts';
import { startTurn, type TurnFailure } from '../conversations/turns.ts';
import { type AgentRun, getAgentRun } from './agent-runs.ts';

/** Used when no better reason is known. */
const unforeseen: TurnFailure = internalFailure('The run');

const turnOf = ({ organization_id: organizationId, conversation_id, message_id }: AgentRun): TurnInput => ({
  organizationId,
  conversationId: conversation_id,
  messageId: message_id,
});

/**
 * queued → running, with the turn for the analyst; undefined if the run was already cancelled or has ended.
 */
export function beginAgentRun(
  db: Database,
  { organizationId, runId }: AgentRunInput,
): Promise<TurnInput | undefined> {
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await getAgentRun(transaction, organizationId, runId);
    const run = await findRun(transaction, organizationId, runId, 'update');
    if (run === undefined || runStates.isEnd(run.status)) return undefined;
    if (run.status === 'running') return turnOf(row);
    // The cancellation came before there was a process to receive it.
    if (run.cancel_requested_at !== null) return undefined;
    await moveRun(transaction, run, 'queued', 'running');
    await beginConversation(transaction, row);
    return turnOf(row);
  });
}

async function beginConversation(db: OrganizationTransaction, row: AgentRun): Promise<void> {
  const conversation = await insertConversation(db, {
    organization_id: row.organization_id,
    id: row.conversation_id,
    project_id: row.project_id,
    created_by: row.created_by,
    run_id: row.id,
  });
  await startTurn(db, conversation, {
    message: row.instructions,
    displayContent: null,
    model: row.model,
    effort: row.effort,
    createdBy: row.created_by,
    userMessageId: newId('msg'),
    messageId: row.message_id,
  });
}

/** Ends a run that delivers nothing; an ended run stays unchanged. */
export function endAgentRun(
  db: Database,
  { organizationId, runId }: AgentRunInput,
  failure: TurnFailure | undefined,
): Promise<AgentRunOutcome> {
  return inOrganization(db, organizationId, async (transaction) => {
    const run = await findRun(transaction, organizationId, runId, 'update');
    if (run === undefined) return { status: 'cancelled', errorCode: null };
    if (runStates.isEnd(run.status)) return outcomeOf(run);
    const ended = await moveRun(
      transaction,
      run,
      run.status,
      failure === undefined ? 'cancelled' : 'failed',
      failure === undefined ? {} : { error: JSON.stringify(failure) },
    );
    return outcomeOf(ended ?? run);
  });
}

/** Why a run whose turn ended this way delivers nothing; undefined if it was stopped. */
export function failureOf(reply: Message | undefined): TurnFailure | undefined {
  if (reply?.status === 'cancelled') return undefined;
  if (reply?.error_code == null) return unforeseen;
  return { code: reply.error_code, message: reply.error_message ?? unforeseen.message };
}

export function outcomeOf(run: Run): AgentRunOutcome {
  if (run.status === 'succeeded') return { status: 'succeeded', errorCode: null };
  if (run.status === 'cancelled') return { status: 'cancelled', errorCode: null };
  return { status: 'failed', errorCode: (run.error as { code?: string } | null)?.code ?? unforeseen.code };
}

/** The reply of a run's turn, with its conversation locked against concurrent ends. */
export async function turnOfRun(db: OrganizationTransaction, row: AgentRun): Promise<Message | undefined> {
  await lockConversation(db, row.organization_id, row.conversation_id);
  return findMessage(db, row.organization_id, row.message_id);
}
