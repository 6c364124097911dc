import { AppError, isRetryable, ValidationError } from '../../../../../data/errors.ts';
import { derivedId } from '../../../../../data/ids.ts';
import { newestSnapshot } from '../../../../../data/lake/ducklake/snapshots.ts';
import { type Dashboard, findDashboard } from '../../../../publishing/dashboards/dashboards.ts';
import { dashboardData, type TileData } from '../../../../publishing/dashboards/data.ts';
import { dashboardPageFile, dashboardPdf, sourceOf } from '../../../../publishing/dashboards/document.ts';
import { keepMailed } from '../../../../publishing/dashboards/mailed.ts';
import { dashboardSvg } from '../../../../publishing/dashboards/picture.ts';
import { drawnTiles, type ShownTile } from '../../../../publishing/dashboards/shown.ts';
import { fileName, maxPathBytes } from '../../../../publishing/deliveries/file-name.ts';
import { pinSnapshot } from '../../../../tables/lake-maintenance/expire.ts';
import { findPinnedSnapshot } from '../../../../tables/lake-maintenance/pins.ts';
import { findFile } from '../../../../workspace/files/files.ts';
import { writeFile } from '../../../../workspace/files/write.ts';
import { actAs } from '../../../../workspace/organizations/rights.ts';
import {
  attemptMsOf,
  type NodeCall,
  NodeFailed,
  type NodeStep,
  type NodeWork,
  seedOf,
  within,
} from '../node-work.ts';
import { findNode, updateNode } from '../nodes.ts';
import { findBoth, runPin, runPinEnd } from '../workflow-runs.ts';

interface Config {
  dashboard_id: string;
  filters?: Record<string, unknown>;
  format: 'pdf' | 'png' | 'html';
}

/** Writes the dashboard as a file, once per attempt of the node. */
export const dashboardWork: NodeWork = async (call) => {
  const { organization_id: organizationId, project_id: projectId, id: runId } = call.run;
  const { format } = call.config as Config;
  const id = derivedId('fil', attemptMsOf(call), seedOf(call));
  const mailKey = `${organizationId}/workflow-runs/${runId}/${call.node.id}.${call.state.attempts}.json`;
  const snapshotId = await snapshotOf(call);
  const done = (file: { id: string; path: string }): NodeStep => ({
    kind: 'done',
    outputs: {
      file: {
        ...{ type: 'file', fileId: file.id, path: file.path },
        ...(format === 'html' ? { mailKey } : {}),
      },
      snapshot: { type: 'value', value: snapshotId },
    },
  });
  const earlier = await within(call, (db) => findFile(db, organizationId, id));
  if (earlier !== undefined) return done(earlier);
  const dashboard = await dashboardOf(call);
  const tiles = await tilesAt(call, dashboard, snapshotId);
  const bytes = await contentOf(call, dashboard, tiles, mailKey);
  const folder = `workflow-runs/${runId}/${call.node.id}`;
  const path = `${folder}/${fileName(dashboard.name, `.${format}`, maxPathBytes - folder.length - 1)}`;
  const { file } = await writeFile(call.deps, { organizationId, projectId, path, bytes, id });
  return done(file);
};

async function dashboardOf(call: NodeCall): Promise<Dashboard> {
  const { organization_id: organizationId, project_id: projectId, owner_id: ownerId } = call.run;
  const { dashboard_id: id } = call.config as Config;
  const found = await within(call, async (db) => {
    await actAs(db, organizationId, ownerId);
    return findDashboard(db, organizationId, id);
  });
  if (found?.project_id === projectId) return found;
  throw new NodeFailed('not_found', `The project has no dashboard ${id}.`, { isFinal: true });
}

/**
 * The tiles with the rights of the workflow's owner. Nobody watches a run, so a tile that can't be read
 * fails the node, instead of being sent as an error.
 */
async function tilesAt(call: NodeCall, dashboard: Dashboard, snapshotId: number): Promise<ShownTile[]> {
  const { deps, run, signal } = call;
  const { filters = {} } = call.config as Config;
  const wanted = { dashboard, callerId: run.owner_id, filters, snapshotId };
  const read = await dashboardData(deps, { ...wanted, rowFormat: 'rows_with_column_order' }, signal).catch(
    (error: unknown) => {
      if (!(error instanceof ValidationError)) throw error;
      // Placed in the config of the node, where the values come from.
      throw new ValidationError(
        error.faults.map((fault) => ({ ...fault, loc: ['config', ...fault.loc.slice(1)] })),
      );
    },
  );
  signal.throwIfAborted();
  for (const data of read.tiles) if ('error' in data) throw failureOf(data, data.error);
  return drawnTiles(deps, dashboard, read.tiles, signal);
}

function failureOf({ tile, query }: TileData, { code, detail }: { code: string; detail: string }): Error {
  const again = new AppError(code as AppError['code'], detail);
  if (isRetryable(again)) return again;
  const name = tile.title === '' ? (query?.name ?? tile.id) : tile.title;
  return new NodeFailed(code, `The tile ${JSON.stringify(name)} can't be read: ${detail}`);
}

async function contentOf(
  { deps, config, signal }: NodeCall,
  dashboard: Dashboard,
  tiles: readonly ShownTile[],
  mailKey: string,
): Promise<Buffer> {
  const { organization_id: organizationId, name } = dashboard;
  switch ((config as Config).format) {
    case 'pdf':
      return dashboardPdf(deps, dashboard, tiles, signal);
    case 'png':
      return deps.charts.png(organizationId, dashboardSvg(name, tiles), signal);
    case 'html': {
      const source = sourceOf(dashboard, tiles);
      // Before the file: once that is there, the node is done.
      await keepMailed(deps.objects, mailKey, source, tiles);
      return dashboardPageFile(deps, organizationId, source, signal);
    }
  }
}

/**
 * The snapshot that all tiles are read from: the one that the run reads, or the newest that one of its
 * nodes made since. It is remembered, because other nodes may make newer ones before a repetition.
 */
async function snapshotOf(call: NodeCall): Promise<number> {
  const { run, node, deps } = call;
  const { organization_id: organizationId, id: runId } = run;
  const pinned = await within(call, (db) => findPinnedSnapshot(db, organizationId, runPin(runId)));
  const found = pinned ?? (await pinNewest(call));
  return within({ run, deps }, async (db) => {
    // The same lock order as everywhere else.
    await findBoth(db, organizationId, runId, 'update');
    const row = await findNode(db, organizationId, runId, node.id);
    const work = (row?.work ?? {}) as { snapshotId?: number };
    if (row === undefined || work.snapshotId !== undefined) return work.snapshotId ?? found;
    await updateNode(db, row, { work: JSON.stringify({ ...work, snapshotId: found }) });
    return found;
  });
}

async function pinNewest({ run, deps }: NodeCall): Promise<number> {
  const lake = await deps.lake.catalog.get(run.organization_id);
  const snapshotId = await newestSnapshot(deps.lake.catalogPool, lake.schema);
  const pin = { snapshotId, holder: runPin(run.id), expiresAt: runPinEnd() };
  await pinSnapshot(deps, lake, run.organization_id, pin);
  return snapshotId;
}
