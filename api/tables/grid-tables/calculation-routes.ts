import { notFound } from '../../../data/errors.ts';
import { findStatistics } from '../../../data/lake/ledger.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import {
  getCalculated,
  type MaterializationRequest,
  startMaterialization,
} from '../../../domain/tables/calculated-tables/start.ts';
import { calculationStates } from '../../../domain/tables/calculated-tables/status.ts';
import { getTable, type TableRow } from '../../../domain/tables/tables/registry.ts';
import { cancelRun } from '../../../domain/workspace/runs/cancel.ts';
import { getTableRun, listTableRuns } from '../../../domain/workspace/runs/of-tables.ts';
import { withProblem } from '../../../domain/workspace/runs/show.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { type Call, type Load, route } from '../../route.ts';
import {
  confirmQuery,
  decodeCursor,
  envelope,
  idCursor,
  type ListRequest,
  page,
  pageQuery,
  toPage,
} from '../../schemas.ts';
import { runSchema, runView } from '../../workspace/runs/schemas.ts';
import { materializeRunExample, oneStatus, syncBody } from './calculation-schemas.ts';

/** How fresh calculated tables are, and the runs that build them. */
export function calculationRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag: 'Grid' };
  const path = '/v1/grid/tables/:table_id';
  const exists: Load<'/:table_id', TableRow> = (db, organizationId, { table_id: id }) =>
    getTable(db, organizationId, id);
  const isCalculated: Load<'/:table_id', TableRow> = (db, organizationId, { table_id: id }) =>
    getCalculated(db, organizationId, id);
  const oneRun = envelope(runSchema).meta({ examples: [{ data: materializeRunExample }] });

  route(
    app,
    at,
    ['GET', `${path}/status`],
    {
      summary: 'Show how fresh a grid table is',
      operationId: 'getGridTableStatus',
      description:
        "The service compares the versions that the table was built from with the current ones. A table that isn't calculated is always `fresh`.",
      exists,
    },
    { 200: oneStatus },
    async ({ organizationId, params, transaction }) => {
      const table = await transaction((db) => getTable(db, organizationId, params.table_id));
      if (table.kind === 'system') throw notFound('The grid table');
      return { data: { tableId: table.id, ...(await stateOf(deps, table)) } };
    },
  );

  async function start(
    call: Call<'/:table_id'>,
    wanted: Pick<MaterializationRequest, 'mode' | 'downstream'>,
  ) {
    const { organizationId, caller, params, newId, request, reply, transaction } = call;
    const run = await startMaterialization(deps, {
      organizationId,
      runId: newId('run'),
      tableId: params.table_id,
      callerId: caller.id,
      memo: memoOf(request),
      ...wanted,
    });
    reply.header('Location', `/v1/grid/tables/${params.table_id}/runs/${run.id}`);
    return { data: runView(await transaction((db) => withProblem(db, organizationId, run))) };
  }

  route(
    app,
    at,
    ['POST', `${path}/materialize`],
    {
      summary: 'Build a calculated table',
      operationId: 'materializeTable',
      audit: 'table.materialized',
      description:
        "Builds the table in the background from the current data, as a whole or not at all. If a build of the table is already in progress, its run is returned. Other calculated tables, before or after it, don't change; `sync` builds those that it reads too.",
      exists: isCalculated,
      errors: ['conflict', 'workflows_unavailable'],
    },
    { 202: oneRun },
    (call) => start(call, { mode: 'materialize' }),
  );

  route(
    app,
    at,
    ['POST', `${path}/sync`],
    {
      summary: 'Bring a calculated table and its inputs up to date',
      operationId: 'syncTable',
      audit: 'table.synchronized',
      description:
        'Builds every calculated table that is stale, in the order in which they read each other, from one snapshot of the lake. If one fails, the tables that depend on it are skipped, the others are built, and the run is `failed`.',
      exists: isCalculated,
      body: syncBody,
      errors: ['conflict', 'workflows_unavailable'],
    },
    { 202: oneRun },
    (call) => start(call, { mode: 'sync', downstream: call.body.downstream }),
  );

  const runOf = (db: OrganizationTransaction, organizationId: string, tableId: string, runId: string) =>
    getTableRun(db, organizationId, { tableId, runId });

  route(
    app,
    at,
    ['GET', `${path}/runs`],
    {
      summary: 'List the newest runs of a calculated table',
      operationId: 'listTableRuns',
      exists: isCalculated,
      query: pageQuery,
    },
    { 200: page(runSchema).meta({ examples: [{ items: [materializeRunExample], nextCursor: null }] }) },
    async ({ organizationId, params, query, request, transaction }) => {
      const list = request as ListRequest;
      const slice = { after: decodeCursor(idCursor, list), limit: query.limit + 1 };
      const runs = await transaction(async (db) => {
        const { id } = await getCalculated(db, organizationId, params.table_id);
        return listTableRuns(db, organizationId, id, slice);
      });
      return toPage(list, runs, ({ id }) => id, runView);
    },
  );

  route(
    app,
    at,
    ['GET', `${path}/runs/:run_id`],
    {
      summary: 'Show a run of a table',
      operationId: 'getTableRun',
      description: 'A run is a build of a calculated table, or a profile.',
      exists: (db, organizationId, { table_id: tableId, run_id: runId }) =>
        runOf(db, organizationId, tableId, runId),
    },
    { 200: oneRun },
    async ({ organizationId, params, transaction }) => ({
      data: runView(await transaction((db) => runOf(db, organizationId, params.table_id, params.run_id))),
    }),
  );

  route(
    app,
    at,
    ['POST', `${path}/runs/:run_id/cancel`],
    {
      summary: 'Cancel a run of a table',
      operationId: 'cancelTableRun',
      audit: 'run.cancelled',
      description:
        "A run is a build of a calculated table, or a profile. Tables that were already built stay. A run that has ended doesn't change.",
      query: confirmQuery,
      exists: (db, organizationId, { table_id: tableId, run_id: runId }) =>
        runOf(db, organizationId, tableId, runId),
    },
    { 200: oneRun, 202: oneRun },
    async ({ organizationId, params, transaction, reply }) => {
      const read = () => transaction((db) => runOf(db, organizationId, params.table_id, params.run_id));
      if (await cancelRun(deps, await read())) reply.code(202);
      return { data: runView(await read()) };
    },
  );
}

async function stateOf(deps: ApiDeps, { organization_id: organizationId, id, kind, created_at }: TableRow) {
  if (kind === 'calc') return (await calculationStates(deps, organizationId, [id])).get(id)!;
  const { schema } = await deps.lake.catalog.get(organizationId);
  const statistics = await findStatistics(deps.lake.catalogPool, schema, id);
  return {
    status: 'fresh' as const,
    tableVersion: statistics?.version ?? null,
    materializedAt: (statistics?.updatedAt ?? created_at).toISOString(),
    rowCount: statistics?.rowCount ?? 0,
    inputs: [],
    staleBecause: [],
    lastRefresh: null,
    runId: null,
    error: null,
  };
}
