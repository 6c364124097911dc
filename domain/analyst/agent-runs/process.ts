import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { defineProcess } from '../../../data/processes/define.ts';
import type { AgentRunInput } from '../../../workflows/analyst/agent-run/contract.ts';
import { agentRunWorkflowType } from '../../../workflows/analyst/agent-run/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { defineRunKind } from '../../workspace/runs/kind.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import { triggerInWords } from '../../workspace/runs/trigger-in-words.ts';
import { type AgentRun, findAgentRun } from './agent-runs.ts';

export const agentRunProcess = defineProcess<AgentRunInput>({
  kind: 'agent-run',
  workflowType: agentRunWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ runId }) => runId,
  whenTerminated: 'close',
});

export const agentRuns = defineRunKind({
  name: 'agent runs',
  kinds: ['report', 'playbook'],
  process: agentRunProcess,
  find: (db, run) => findAgentRun(db, run.organization_id, run.id),
  input: ({ organization_id: organizationId, id: runId }) => ({ organizationId, runId }),
  address: ({ project_id: projectId, id }) => `/v1/projects/${projectId}/runs/${id}`,
  summary: inWords,
});

/**
 * With the playbook's title: the run's own title and path may contain parameter values, which operators must
 * not see.
 */
async function inWords(
  db: OrganizationTransaction,
  row: AgentRun,
  { trigger_type: trigger }: Run,
): Promise<string> {
  const { project, playbook } = await db
    .selectFrom('projects')
    .leftJoin('playbooks', (join) =>
      join
        .onRef('playbooks.organization_id', '=', 'projects.organization_id')
        .on('playbooks.id', '=', row.playbook_id),
    )
    .select(['projects.name as project', 'playbooks.title as playbook'])
    .where('projects.organization_id', '=', row.organization_id)
    .where('projects.id', '=', row.project_id)
    .executeTakeFirstOrThrow();
  const what = playbook ?? `A ${row.output.type} from a prompt`;
  return `${what}, ${triggerInWords[trigger]}, in the project ${project}`;
}
