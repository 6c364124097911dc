import { AppError } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type ProcessDeps, startRecorded } from '../../../data/processes/processes.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { countUnfinished, deleteRun, getRun, insertRun, type Run } from '../../workspace/runs/runs.ts';
import { type AgentOutput, type AgentRun, findAgentRun, insertAgentRun } from './agent-runs.ts';
import { agentRunProcess, agentRunStart } from './process.ts';

export interface AgentRunRequest {
  organizationId: string;
  projectId: string;
  callerId: string;
  /** What the process remembers of its request. */
  memo: Record<string, string>;
  runId: string;
  kind: 'report' | 'playbook';
  title: string;
  /** Markdown, with its parameters filled in. */
  instructions: string;
  output: AgentOutput;
  model: string;
  effort: AgentRun['effort'];
  /** Whose it is, where that is no caller and no playbook. */
  source?: 'workflow';
  /** The playbook, where it is one's. */
  playbook?: { id: string; revision: number; params: Record<string, unknown> };
  /** Who or what set it off. */
  trigger: { type: Run['trigger_type']; id: string };
  /** The process that waits for its end, if one does. */
  waitedBy?: string | undefined;
}

/**
 * Starts a run of the analyst: its rows and the outbox entry are one commit. Without workflows nothing of it
 * stays.
 */
export async function startAgentRun(deps: ProcessDeps, request: AgentRunRequest): Promise<AgentRun> {
  const { organizationId, runId } = request;
  const { row } = await startRecorded(deps, organizationId, {
    find: (db) => findAgentRun(db, organizationId, runId),
    make: (db) => insert(db, request),
    startOf: (made) => agentRunStart(made, request),
    undo: (db) => deleteRun(db, organizationId, runId),
  });
  return row;
}

async function insert(db: OrganizationTransaction, request: AgentRunRequest): Promise<AgentRun> {
  const { organizationId, projectId, runId, playbook, trigger, output } = request;
  await getOpenProject(db, organizationId, projectId);
  await refuseTooMany(db, organizationId);
  await insertRun(db, {
    organization_id: organizationId,
    id: runId,
    project_id: projectId,
    kind: request.kind,
    trigger_type: trigger.type,
    trigger_id: trigger.id,
    title: request.title,
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
    conversation_id: newId('cnv'),
    message_id: newId('msg'),
  });
}

/** Each that waits for its turn asks again and again: others must not wait for that. */
const maxUnfinished = 200;

async function refuseTooMany(db: OrganizationTransaction, organizationId: string): Promise<void> {
  const { unfinished } = await countUnfinished(db, organizationId, ['report', 'playbook']);
  if (unfinished < maxUnfinished) return;
  throw new AppError(
    'rate_limited',
    `The organization has ${maxUnfinished} runs of the analyst under way, which is the most; wait for some to end.`,
    { retryAfterSeconds: 30 },
  );
}

/** A run makes one report at most, which is known before it is there. */
export const reportIdOf = (runId: string): string => runId.replace(/^run_/, 'rpt_');

/** The run of an agent's row, as its users see it. */
export const runOf = (db: OrganizationTransaction, row: AgentRun): Promise<Run> =>
  getRun(db, row.organization_id, { projectId: row.project_id, runId: row.id, callerId: row.created_by });
