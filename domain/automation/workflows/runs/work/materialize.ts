import { AppError } from '../../../../../data/errors.ts';
import { restrictTo } from '../../../../../data/postgres/acting.ts';
import { startMaterialization } from '../../../../tables/calculated-tables/start.ts';
import { builtOf, findDefinition } from '../../../../tables/derived-relations/definitions.ts';
import { isWritable } from '../../../../tables/tables/grants.ts';
import { findTable, readableTables, type TableRow } from '../../../../tables/tables/registry.ts';
import { actAs, principalFor } from '../../../../workspace/organizations/rights.ts';
import { findRun, type Run, runStates } from '../../../../workspace/runs/runs.ts';
import { type NodeCall, NodeFailed, type NodeStep, type NodeWork, within } from '../node-work.ts';
import { workflowRunProcess } from '../process.ts';
import type { DataVersion } from '../workflow-runs.ts';
import { childRunId, nextLook, nextTurn } from './child.ts';
import { readFromHere } from './read-from-here.ts';

interface Config {
  table_id: string;
  sync: boolean;
}

/** Builds a table, once per attempt of the node, and makes the run read what was built from then on. */
export const materializeWork: NodeWork = async (call) => {
  const { organization_id: organizationId } = call.run;
  const runId = childRunId(call);
  const find = () => within(call, (db) => findRun(db, organizationId, runId));
  let made = await find();
  if (made === undefined) {
    if (!(await start(call, runId)))
      return { kind: 'waiting', what: 'other builds of the organization', untilMs: nextTurn(call) };
    made = await find();
  }
  if (made !== undefined && runStates.isEnd(made.status)) return ended(call, made);
  return { kind: 'waiting', what: runId, untilMs: nextLook() };
};

/** False while too many runs of the organization build or wait; this one then starts when its turn comes. */
async function start(call: NodeCall, runId: string): Promise<boolean> {
  const { run, deps } = call;
  const { table_id: tableId, sync } = call.config as Config;
  await tableOfOwner(call, tableId);
  try {
    await startMaterialization(deps, {
      organizationId: run.organization_id,
      runId,
      tableId,
      mode: sync ? 'sync' : 'materialize',
      callerId: run.owner_id,
      trigger: { type: 'api', id: run.id },
      waitedBy: workflowRunProcess.workflowId(run.id),
    });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return false;
    throw error;
  }
}

/** The table as the workflow's owner has it, who may build what he may write. */
function tableOfOwner({ run, deps }: NodeCall, tableId: string): Promise<TableRow> {
  const { organization_id: organizationId, owner_id: ownerId } = run;
  return within({ run, deps }, async (db) => {
    const principal = await principalFor(db, organizationId, ownerId);
    await restrictTo(db, principal);
    const table = await findTable(db, organizationId, tableId);
    if (table?.kind !== 'calc' || table.status !== 'ready')
      throw new NodeFailed('not_found', `The workflow's owner can't see a calculated table ${tableId}.`, {
        isFinal: true,
      });
    if (!isWritable(table, principal))
      throw new NodeFailed(
        'admin_required',
        `The workflow's owner can read the table ${table.name}, but may not write to it. Ask an administrator for write access.`,
        { isFinal: true },
      );
    return table;
  });
}

async function ended(call: NodeCall, made: Run): Promise<NodeStep> {
  if (made.status === 'cancelled')
    throw new NodeFailed('run_cancelled', `The build ${made.id} was cancelled.`, { isFinal: true });
  if (made.status === 'failed') {
    const error = made.error as { code?: string; message?: string } | null;
    throw new NodeFailed(error?.code ?? 'internal_error', error?.message ?? `The build ${made.id} failed.`);
  }
  const { table_id: tableId } = call.config as Config;
  const { name: tableName } = await tableOfOwner(call, tableId);
  const built = builtBy(made);
  const version =
    built.find((build) => build.tableId === tableId)?.version ?? (await versionBefore(call, tableId));
  const others = built.filter((build) => build.tableId !== tableId);
  await readFromHere(call, [...(await readable(call, others)), { tableId, version }]);
  return { kind: 'done', outputs: { table: { type: 'table', tableId, tableName, version } } };
}

/** What the run built: one table, or those that a synchronization found stale. */
function builtBy({ output }: Run): DataVersion[] {
  type Built = { tableId: string; tableVersion: number };
  const { materialized, ...one } = (output ?? {}) as Partial<Built> & { materialized?: Built[] };
  const all = materialized ?? (one.tableId === undefined ? [] : [one as Built]);
  return all.map(({ tableId, tableVersion }) => ({ tableId, version: tableVersion }));
}

/** Those that the workflow's owner may read, because its later statements may name no others. */
function readable({ run, deps }: NodeCall, built: readonly DataVersion[]): Promise<DataVersion[]> {
  const { organization_id: organizationId, owner_id: ownerId } = run;
  return within({ run, deps }, async (db) => {
    await actAs(db, organizationId, ownerId);
    const ids = built.map(({ tableId }) => tableId);
    const found = new Set(await readableTables(db, organizationId, ids));
    return built.filter(({ tableId }) => found.has(tableId));
  });
}

/** The version of a table that was fresh, so that the synchronization did not build it. */
async function versionBefore(call: NodeCall, tableId: string): Promise<number> {
  const definition = await within(call, (db) => findDefinition(db, call.run.organization_id, tableId));
  const built = definition && builtOf(definition);
  if (built === undefined)
    throw new NodeFailed('not_found', `The calculated table ${tableId} was deleted.`, { isFinal: true });
  return built.version;
}
