import { readableTables } from '../../../../tables/tables/registry.ts';
import { startVerification } from '../../../../tables/verification/start.ts';
import { outcomeOf, showVerification } from '../../../../tables/verification/verifications.ts';
import { actAs } from '../../../../workspace/organizations/rights.ts';
import { findRun, type Run, runStates } from '../../../../workspace/runs/runs.ts';
import { type NodeCall, NodeFailed, type NodeStep, type NodeWork, within } from '../node-work.ts';
import { workflowRunProcess } from '../process.ts';
import { dataVersionsOf, findBoth } from '../workflow-runs.ts';
import { childRunId, nextLook } from './child.ts';

interface Config {
  table_ids?: string[];
  definition_ids?: string[];
}

/** Tests tables at the versions that the run reads, once per attempt of the node. */
export const verificationWork: NodeWork = async (call) => {
  const { organization_id: organizationId } = call.run;
  const runId = childRunId(call);
  const find = () => within(call, (db) => findRun(db, organizationId, runId));
  let made = await find();
  if (made === undefined) {
    await start(call, runId);
    made = await find();
  }
  if (made !== undefined && runStates.isEnd(made.status)) return ended(call, made);
  return { kind: 'waiting', what: runId, untilMs: nextLook() };
};

async function start({ run, deps, config }: NodeCall, runId: string): Promise<void> {
  const { organization_id: organizationId, owner_id: ownerId } = run;
  const { table_ids: tableIds, definition_ids: definitionIds } = config as Config;
  const versions = await within({ run, deps }, async (db) => {
    const both = await findBoth(db, organizationId, run.id);
    await actAs(db, organizationId, ownerId);
    const readable = await readableTables(db, organizationId, tableIds ?? []);
    const missing = (tableIds ?? []).find((id) => !readable.includes(id));
    if (missing !== undefined)
      throw new NodeFailed('not_found', `The workflow's owner can't see a table ${missing}.`, {
        isFinal: true,
      });
    return both === undefined ? [] : dataVersionsOf(both.row);
  });
  const tested = versions.filter(({ tableId }) => tableIds?.includes(tableId) === true);
  await startVerification(deps, {
    ...{ organizationId, runId, callerId: ownerId, tableIds, definitionIds },
    atVersions: Object.fromEntries(tested.map(({ tableId, version }) => [tableId, version])),
    trigger: { type: 'api', id: run.id },
    waitedBy: workflowRunProcess.workflowId(run.id),
  });
}

async function ended(call: NodeCall, made: Run): Promise<NodeStep> {
  if (made.status === 'cancelled')
    throw new NodeFailed('run_cancelled', `The test run ${made.id} was cancelled.`, { isFinal: true });
  if (made.status === 'failed') {
    const error = made.error as { code?: string; message?: string } | null;
    throw new NodeFailed(
      error?.code ?? 'internal_error',
      error?.message ?? `The test run ${made.id} failed.`,
    );
  }
  const { organization_id: organizationId, owner_id: ownerId } = call.run;
  const { verification, results } = await within(call, async (db) => {
    await actAs(db, organizationId, ownerId);
    return showVerification(db, { organizationId, runId: made.id });
  });
  if (verification.outcome === 'failed') {
    const failed = results.filter((result) => outcomeOf(result) === 'failed');
    const names = failed.slice(0, 5).map(({ name }) => name);
    const more = failed.length > names.length ? ` and ${failed.length - names.length} more` : '';
    throw new NodeFailed(
      'verification_failed',
      `Failed: ${names.join(', ')}${more}. GET /v1/verification-tests/runs/${made.id} shows the failing rows.`,
      { isFinal: true },
    );
  }
  const value = { runId: made.id, outcome: verification.outcome };
  return { kind: 'done', outputs: { passed: { type: 'value', value } } };
}
