import { queryOptions } from '@tanstack/react-query';
import { type components, some } from '../../../clients/typescript/src/index.ts';
import { workspace } from '../session/login.ts';

export type SavedQuery = components['schemas']['SavedQuery'];
export type Dashboard = components['schemas']['Dashboard'];
export type Tile = components['schemas']['Tile'];
export type Filter = Dashboard['filters'][number];

/** More are not shown. */
const most = 1_000;

export const savedQueriesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['saved queries', projectId],
    queryFn: () =>
      some(most, (page) =>
        workspace.get('/v1/projects/{project_id}/queries', {
          params: { path: { project_id: projectId }, query: page },
        }),
      ),
  });

export const savedQueryQuery = (projectId: string, queryId: string) =>
  queryOptions({
    queryKey: ['saved query', queryId],
    queryFn: async () =>
      (
        await workspace.get('/v1/projects/{project_id}/queries/{query_id}', {
          params: { path: { project_id: projectId, query_id: queryId } },
        })
      ).data,
  });

export const dashboardsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['dashboards', projectId],
    queryFn: () =>
      some(most, (page) =>
        workspace.get('/v1/projects/{project_id}/dashboards', {
          params: { path: { project_id: projectId }, query: page },
        }),
      ),
  });

export const readDashboard = async (projectId: string, dashboardId: string): Promise<Dashboard> =>
  (
    await workspace.get('/v1/projects/{project_id}/dashboards/{dashboard_id}', {
      params: { path: { project_id: projectId, dashboard_id: dashboardId } },
    })
  ).data;

export const dashboardQuery = (projectId: string, dashboardId: string) =>
  queryOptions({
    queryKey: ['dashboard', dashboardId],
    queryFn: () => readDashboard(projectId, dashboardId),
  });
