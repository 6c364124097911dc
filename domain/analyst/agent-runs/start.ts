import { AppError } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { startRun } from '../../workspace/runs/kind.ts';
import { countUnfinished, deleteRun, getRun, insertRun, type Run } from '../../workspace/runs/runs.ts';
import { type AgentOutput, type AgentRun, insertAgentRun } from './agent-runs.ts';
import { agentRunProcess, agentRuns } from './process.ts';

export interface AgentRunRequest {
  organizationId: string;
  projectId: string;
  callerId: string;
  /** Whose rights limit the run besides the caller's. */
  alsoFor?: readonly string[];
  /** Details of the originating request that the process keeps. */
  memo: Record<string, string>;
  runId: string;
  kind: 'report' | 'playbook';
  title: string;
  /** Markdown, with parameters filled in. */
  instructions: string;
  output: AgentOutput;
  model: string;
  effort: AgentRun['effort'];
  /** The origin, if it is neither a caller nor a playbook. */
  source?: 'workflow';
  /** The playbook, if it is a run of one. */
  playbook?: { id: string; revision: number; params: Record<string, unknown> };
  /** Who or what triggered it. */
  trigger: { type: Run['trigger_type']; id: string };
  /** The process waiting for its end, if any. */
  waitedBy?: string | undefined;
}

/**
 * Starts a run of the analyst: its rows and the outbox entry are one commit. If its process certainly did not
 * start, all of it is removed again.
 */
export async function startAgentRun(deps: ProcessDeps, request: AgentRunRequest): Promise<AgentRun> {
  const { organizationId, runId, memo } = request;
  const { row } = await startRun(deps, agentRuns, {
    ...{ organizationId, runId, memo },
    make: (db) => insert(db, request),
    undo: (db) => deleteRun(db, organizationId, runId),
  });
  return row;
}

async function insert(db: OrganizationTransaction, request: AgentRunRequest): Promise<AgentRun> {
  const { organizationId, projectId, runId, playbook, trigger, output } = request;
  await getOpenProject(db, organizationId, projectId);
  await refuseTooMany(db, organizationId);
  await insertRun(db, {
    ...{ organization_id: organizationId, id: runId, project_id: projectId, kind: request.kind },
    ...{ trigger_type: trigger.type, trigger_id: trigger.id, title: request.title },
    resource_type: playbook === undefined ? output.type : 'playbook',
    resource_id: playbook?.id ?? (output.type === 'report' ? reportIdOf(runId) : ''),
    workflow_id: agentRunProcess.workflowId(runId),
    waited_by: request.waitedBy ?? null,
  });
  return insertAgentRun(db, {
    organization_id: organizationId,
    id: runId,
    project_id: projectId,
    instructions: request.instructions,
    output: JSON.stringify(output),
    model: request.model,
    effort: request.effort,
    source: request.source ?? (playbook === undefined ? 'api' : 'playbook'),
    playbook_id: playbook?.id ?? null,
    playbook_revision: playbook?.revision ?? null,
    params: JSON.stringify(playbook?.params ?? {}),
    created_by: request.callerId,
    also_for: [...(request.alsoFor ?? [])],
    conversation_id: newId('cnv'),
    message_id: newId('msg'),
  });
}

/** Waiting runs poll for their turn, so their number is limited. */
const maxUnfinished = limits.conversations.unfinishedRuns.most;

async function refuseTooMany(db: OrganizationTransaction, organizationId: string): Promise<void> {
  const { unfinished } = await countUnfinished(db, organizationId, ['report', 'playbook']);
  if (unfinished < maxUnfinished) return;
  throw new AppError(
    'rate_limited',
    `The organization has ${maxUnfinished} unfinished runs of the analyst, which is the limit. Wait until some of them end.`,
    { retryAfterSeconds: 30 },
  );
}

/** A run creates at most one report, whose id is known in advance. */
export const reportIdOf = (runId: string): string => runId.replace(/^run_/, 'rpt_');

/** The run of an agent run's row, as users see it. */
export const runOf = (db: OrganizationTransaction, row: AgentRun): Promise<Run> =>
  getRun(db, row.organization_id, { projectId: row.project_id, runId: row.id, callerId: row.created_by });
