import { WorkspaceError } from '../../../clients/typescript/src/index.ts';
import type { QueryChart } from '../charts/chart.ts';
import { workspace } from '../session/login.ts';
import { roomFor, sizeFor } from './layout.ts';
import { type Parameters, parametersNow } from './parameter.ts';
import { type Dashboard, readDashboard } from './resources.ts';
import { tileBody } from './tile-body.ts';

/** What a tile shows: a query that is saved, or one that is saved first. */
export interface Source {
  sql: string;
  parameters: Parameters;
  chart: QueryChart | null;
  /** Of the saved query. */
  id?: string | undefined;
}

export async function createQuery(
  projectId: string,
  { sql, parameters, chart }: Source,
  { name, description = '' }: { name: string; description?: string },
) {
  const { data } = await workspace.post('/v1/projects/{project_id}/queries', {
    params: { path: { project_id: projectId } },
    body: {
      name,
      description,
      sql,
      parameters: parametersNow(sql, parameters) as never,
      chart: chart as never,
    },
  });
  return data;
}

export async function createDashboard(projectId: string, name: string): Promise<Dashboard> {
  const { data } = await workspace.post('/v1/projects/{project_id}/dashboards', {
    params: { path: { project_id: projectId } },
    body: { name },
  });
  return data;
}

/** Adds a tile of a saved query after what the dashboard has now. What others change meanwhile stays. */
export async function addTile(
  projectId: string,
  dashboardId: string,
  { queryId, title, type }: { queryId: string; title: string; type: string | undefined },
): Promise<Dashboard> {
  for (let attempt = 1; ; attempt += 1) {
    const now = await readDashboard(projectId, dashboardId);
    const size = sizeFor(type);
    const tile = {
      ...{ kind: 'query' as const, query_id: queryId, title, bindings: {} },
      ...size,
      ...roomFor(now.tiles, size),
    };
    try {
      const { data } = await workspace.patch('/v1/projects/{project_id}/dashboards/{dashboard_id}', {
        params: { path: { project_id: projectId, dashboard_id: dashboardId } },
        body: { tiles: [...now.tiles.map(tileBody), tile], expected_revision: now.revision },
      });
      return data;
    } catch (error) {
      const isOther = error instanceof WorkspaceError && error.code === 'revision_conflict';
      if (!isOther || attempt >= 3) throw error;
    }
  }
}
