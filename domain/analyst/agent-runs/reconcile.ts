import { inOrganization } from '../../../data/postgres/client.ts';
import { type ReconcileStep, rowsStep } from '../../../data/reconciling/step.ts';
import { ageSeconds, type Revival, type ReviveDeps, revivingStep } from '../../workspace/runs/revive.ts';
import { failTurn } from '../conversations/lifecycle.ts';
import type { AgentRun } from './agent-runs.ts';
import { clearAgentRun, type DeliverDeps, deliverAgentRun } from './deliver.ts';
import { endAgentRun, turnOfRun } from './lifecycle.ts';
import { agentRunProcess, agentRuns } from './process.ts';

export type AgentRunReconcileDeps = DeliverDeps & ReviveDeps;

const terminated = { code: 'terminated', message: 'An operator ended the process of the run.' };

/**
 * A run whose process is gone is ended if the process was forcibly terminated; otherwise it continues from
 * its rows in a new process. Remaining data of ended runs is removed.
 */
export function agentRunSteps(deps: AgentRunReconcileDeps, olderThanSeconds = ageSeconds): ReconcileStep[] {
  const revival: Revival<AgentRun> = { end: (row) => endTerminated(deps, row) };
  const uncleared = { db: deps.db, foundBy: 'uncleared_agent_runs', olderThanSeconds };
  return [
    revivingStep(deps, agentRuns, revival, olderThanSeconds),
    rowsStep('ended agent runs', uncleared, (organizationId, runId) =>
      clear(deps, { organizationId, runId }),
    ),
  ];
}

/** Removes what is left of a run that has ended, if its process did not. */
async function clear(deps: AgentRunReconcileDeps, id: { organizationId: string; runId: string }) {
  const state = await deps.processes.stateOf(agentRunProcess.workflowId(id.runId));
  if (state !== 'running') await clearAgentRun(deps, id);
}

async function endTerminated(deps: AgentRunReconcileDeps, row: AgentRun): Promise<true> {
  const { organization_id: organizationId, conversation_id: conversationId, message_id: messageId } = row;
  const id = { organizationId, runId: row.id };
  await failTurn(deps.db, { organizationId, conversationId, messageId }, 'terminated');
  const reply = await inOrganization(deps.db, organizationId, (db) => turnOfRun(db, row));
  // A complete turn is still delivered, because part of the delivery may have happened.
  if (reply?.status === 'complete') await deliverAgentRun(deps, id);
  else await endAgentRun(deps.db, id, terminated);
  await clearAgentRun(deps, id);
  return true;
}
