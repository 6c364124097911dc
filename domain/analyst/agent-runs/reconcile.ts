import type { Logger } from 'pino';
import { inOrganization } from '../../../data/postgres/client.ts';
import { closes } from '../../../data/processes/define.ts';
import type { Processes } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep } from '../../../data/reconciling/step.ts';
import type { AgentRunInput } from '../../../workflows/analyst/agent-run/contract.ts';
import { findRun, runStates } from '../../workspace/runs/runs.ts';
import { notifyWaiter } from '../../workspace/runs/waiter.ts';
import { failTurn } from '../conversations/lifecycle.ts';
import { findAgentRun } from './agent-runs.ts';
import { clearAgentRun, type DeliverDeps, deliverAgentRun } from './deliver.ts';
import { endAgentRun, turnOfRun } from './lifecycle.ts';
import { agentRunProcess, agentRunStart } from './process.ts';

export interface AgentRunReconcileDeps extends DeliverDeps {
  processes: Processes;
  logger: Pick<Logger, 'info' | 'warn'>;
}

const terminated = { code: 'terminated', message: "An operator ended the run's process." };

/** A younger run's process may not have been started yet. */
const ageSeconds = 60;

/**
 * A run whose process is gone is ended if the process was forcibly terminated; otherwise it continues from
 * its rows in a new process. Remaining data of ended runs is removed.
 */
export function agentRunSteps(deps: AgentRunReconcileDeps, olderThanSeconds = ageSeconds): ReconcileStep[] {
  const rows = { db: deps.db, foundBy: 'active_agent_runs', olderThanSeconds };
  return [rowsStep('agent runs', rows, (organizationId, runId) => revive(deps, { organizationId, runId }))];
}

async function revive(deps: AgentRunReconcileDeps, id: AgentRunInput): Promise<void> {
  const state = await deps.processes.stateOf(agentRunProcess.workflowId(id.runId));
  if (state === 'running') return;
  const { row, run } = await inOrganization(deps.db, id.organizationId, async (db) => ({
    row: await findAgentRun(db, id.organizationId, id.runId),
    run: await findRun(db, id.organizationId, id.runId),
  }));
  if (row === undefined || run === undefined) return;
  // The run has ended, but its process did not clean up.
  if (runStates.isEnd(run.status)) await clearAgentRun(deps, id);
  else if (closes(agentRunProcess, state)) {
    const { conversation_id: conversationId, message_id: messageId } = row;
    await failTurn(deps.db, { organizationId: id.organizationId, conversationId, messageId }, 'terminated');
    const reply = await inOrganization(deps.db, id.organizationId, (db) => turnOfRun(db, row));
    // A complete turn is still delivered, because part of the delivery may have happened.
    if (reply?.status === 'complete') await deliverAgentRun(deps, id);
    else await endAgentRun(deps.db, id, terminated);
    await notifyWaiter(deps, run);
    await clearAgentRun(deps, id);
  } else {
    const start = await inOrganization(deps.db, id.organizationId, (db) => agentRunStart(db, row));
    await deps.processes.restart(start);
  }
  deps.logger.info({ ...id, state }, 'reconciled a run whose process was gone');
}
