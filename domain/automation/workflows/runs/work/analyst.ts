import { derivedId } from '../../../../../data/ids.ts';
import { startAgentRun } from '../../../../analyst/agent-runs/start.ts';
import type { Params } from '../../../../analyst/playbooks/parameters.ts';
import { runPlaybook } from '../../../../analyst/playbooks/run.ts';
import { findReport } from '../../../../publishing/reports/reports.ts';
import { storeReport } from '../../../../publishing/reports/store.ts';
import { findFile } from '../../../../workspace/files/files.ts';
import { findRun, type Run, runStates } from '../../../../workspace/runs/runs.ts';
import {
  attemptMsOf,
  type NodeCall,
  NodeFailed,
  type NodeStep,
  type NodeWork,
  seedOf,
  within,
} from '../node-work.ts';
import type { NodeOutputs } from '../nodes.ts';
import { workflowRunProcess } from '../process.ts';
import { dataVersionsOf } from '../workflow-runs.ts';
import { childRunId, nextLook } from './child.ts';

export const playbookWork: NodeWork = async (call) => {
  const { run, node, deps } = call;
  const { playbook_id: playbookId, params = {} } = call.config as { playbook_id: string; params?: Params };
  return followed(call, (runId) =>
    runPlaybook(deps, {
      ...requestOf(call, runId),
      isUnattended: true,
      playbookId,
      params,
      at: ['nodes', node.id, 'config', 'params'],
      waitedBy: workflowRunProcess.workflowId(run.id),
      defaultModel: deps.models.defaultId,
    }),
  );
};

/** A report from the given Markdown, or one that the analyst writes. */
export const reportWork: NodeWork = async (call) => {
  const { run, version, deps } = call;
  const { title, content, prompt } = call.config as { title?: string; content?: string; prompt?: string };
  if (prompt !== undefined)
    return followed(call, (runId) =>
      startAgentRun(deps, {
        ...requestOf(call, runId),
        kind: 'report',
        title: `${version.title}: ${call.node.name}`.slice(0, 200).toWellFormed(),
        instructions: prompt,
        output: { type: 'report', title: '' },
        model: deps.models.defaultId,
        effort: null,
        source: 'workflow',
        waitedBy: workflowRunProcess.workflowId(run.id),
      }),
    );
  const id = derivedId('rpt', attemptMsOf(call), seedOf(call));
  const report = await storeReport(deps, {
    organizationId: run.organization_id,
    projectId: run.project_id,
    id,
    title: title!,
    content: content!,
    source: 'workflow',
    sourceId: run.workflow_id,
    dataVersions: dataVersionsOf(run),
    createdBy: run.owner_id,
    writeId: id,
  });
  return {
    kind: 'done',
    outputs: { report: { type: 'report', reportId: report.id, revision: report.revision } },
  };
};

function requestOf({ run }: NodeCall, runId: string) {
  return {
    organizationId: run.organization_id,
    projectId: run.project_id,
    callerId: run.owner_id,
    memo: {},
    runId,
    trigger: { type: 'api' as const, id: run.id },
  };
}

/** Starts a run of the analyst, once per attempt of the node, and waits for its end. */
async function followed(call: NodeCall, start: (runId: string) => Promise<unknown>): Promise<NodeStep> {
  const { run } = call;
  const runId = childRunId(call);
  const find = () => within(call, (db) => findRun(db, run.organization_id, runId));
  let child = await find();
  if (child === undefined) {
    await start(runId);
    child = await find();
  }
  if (child !== undefined && runStates.isEnd(child.status)) return ended(call, child);
  return { kind: 'waiting', what: runId, untilMs: nextLook() };
}

async function ended(call: NodeCall, child: Run): Promise<NodeStep> {
  if (child.status === 'cancelled')
    throw new NodeFailed('run_cancelled', `The analyst's run ${child.id} was cancelled.`, { isFinal: true });
  if (child.status === 'failed') {
    const error = child.error as { code?: string; message?: string } | null;
    throw new NodeFailed(
      error?.code ?? 'internal_error',
      error?.message ?? `The analyst's run ${child.id} failed.`,
    );
  }
  return { kind: 'done', outputs: await outputsOf(call, child) };
}

function outputsOf(call: NodeCall, child: Run): Promise<NodeOutputs> {
  const { organization_id: organizationId } = call.run;
  const made = child.output as { reportId?: string; fileId?: string } | null;
  return within(call, async (db): Promise<NodeOutputs> => {
    if (made?.reportId !== undefined) {
      const report = await findReport(db, organizationId, made.reportId);
      if (report !== undefined)
        return { report: { type: 'report', reportId: report.id, revision: report.revision } };
    }
    if (made?.fileId !== undefined) {
      const file = await findFile(db, organizationId, made.fileId);
      if (file !== undefined) return { file: { type: 'file', fileId: file.id, path: file.path } };
    }
    throw new NodeFailed('not_found', `The result of the run ${child.id} was deleted.`, { isFinal: true });
  });
}
