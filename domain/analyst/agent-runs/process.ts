import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { defineProcess } from '../../../data/processes/define.ts';
import type { AgentRunInput } from '../../../workflows/analyst/agent-run/contract.ts';
import { agentRunWorkflowType } from '../../../workflows/analyst/agent-run/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { triggerInWords } from '../../workspace/runs/trigger-in-words.ts';
import { waiterOf } from '../../workspace/runs/waiter.ts';
import type { AgentRun } from './agent-runs.ts';

export const agentRunProcess = defineProcess<AgentRunInput>({
  kind: 'agent-run',
  workflowType: agentRunWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ runId }) => runId,
  whenTerminated: 'close',
});

/**
 * The outbox entry of a run's process, the same for every starter. Its summary has the playbook's title: the
 * run's own title and path may contain parameter values, which operators must not see.
 */
export async function agentRunStart(
  db: OrganizationTransaction,
  row: AgentRun,
  memo: Record<string, string> = {},
) {
  const { organization_id: organizationId, id: runId, project_id: projectId } = row;
  const { waitedBy, trigger, project, playbook } = await db
    .selectFrom('runs')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.organization_id', '=', 'runs.organization_id')
        .onRef('projects.id', '=', 'runs.project_id'),
    )
    .leftJoin('playbooks', (join) =>
      join
        .onRef('playbooks.organization_id', '=', 'runs.organization_id')
        .on('playbooks.id', '=', row.playbook_id),
    )
    .select([
      'runs.waited_by as waitedBy',
      'runs.trigger_type as trigger',
      'projects.name as project',
      'playbooks.title as playbook',
    ])
    .where('runs.organization_id', '=', organizationId)
    .where('runs.id', '=', runId)
    .executeTakeFirstOrThrow();
  const what = playbook ?? `A ${row.output.type} from a prompt`;
  return agentRunProcess.startOf(
    { organizationId, runId, ...waiterOf({ waitedBy }) },
    {
      summary: `${what}, ${triggerInWords[trigger]}, in the project ${project}`,
      projectId,
      address: `/v1/projects/${projectId}/runs/${runId}`,
      memo,
    },
  );
}
