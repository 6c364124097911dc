import { inOrganization } from '../../../data/postgres/client.ts';
import type { ReconcileStep } from '../../../data/reconciling/step.ts';
import { type ReviveDeps, type RevivedRuns, revivingStep } from '../../workspace/runs/revive.ts';
import { failTurn } from '../conversations/lifecycle.ts';
import { type AgentRun, findAgentRun } from './agent-runs.ts';
import { clearAgentRun, type DeliverDeps, deliverAgentRun } from './deliver.ts';
import { endAgentRun, turnOfRun } from './lifecycle.ts';
import { agentRunProcess, agentRunStart } from './process.ts';

export type AgentRunReconcileDeps = DeliverDeps & ReviveDeps;

const terminated = { code: 'terminated', message: "An operator ended the run's process." };

/**
 * A run whose process is gone is ended if the process was forcibly terminated; otherwise it continues from
 * its rows in a new process. Remaining data of ended runs is removed.
 */
export function agentRunSteps(deps: AgentRunReconcileDeps, olderThanSeconds?: number): ReconcileStep[] {
  const agentRuns: RevivedRuns<AgentRun> = {
    name: 'agent runs',
    foundBy: 'active_agent_runs',
    process: agentRunProcess,
    find: (db, run) => findAgentRun(db, run.organization_id, run.id),
    start: (db, row) => agentRunStart(db, row),
    end: (row) => endTerminated(deps, row),
    // The run has ended, but its process did not clean up.
    afterEnd: ({ organization_id: organizationId, id: runId }) =>
      clearAgentRun(deps, { organizationId, runId }),
  };
  return [revivingStep(deps, agentRuns, olderThanSeconds)];
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
