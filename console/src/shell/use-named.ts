import { useQueries } from '@tanstack/react-query';
import type { NavigateOptions } from '@tanstack/react-router';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const staleTime = 30_000;
const { kinds } = texts.palette;

interface Named {
  id: string;
  label: string;
  kind: string;
  link: NavigateOptions;
}

/** What has a name besides tables, and where it is: the newest of each kind. What cannot be read is left out. */
export function useNamed(projectId: string | undefined): { named: Named[]; isLoading: boolean } {
  const asked = useQueries({
    queries: [
      {
        queryKey: ['named', 'workflows'],
        queryFn: async (): Promise<Named[]> =>
          (await workspace.get('/v1/workflows')).items.map(({ id, title }) => ({
            ...{ id, label: title, kind: kinds.workflow },
            link: { to: '/workflows/$workflowId', params: { workflowId: id } },
          })),
        staleTime,
      },
      {
        queryKey: ['named', 'schedules'],
        queryFn: async (): Promise<Named[]> =>
          (await workspace.get('/v1/schedules')).items.map(({ id, description }) => ({
            ...{ id, label: description, kind: kinds.schedule },
            link: { to: '/schedules/$scheduleId', params: { scheduleId: id } },
          })),
        staleTime,
      },
      {
        queryKey: ['named', 'connections'],
        queryFn: async (): Promise<Named[]> =>
          (await workspace.get('/v1/connections/data')).items.map(({ id, name }) => ({
            ...{ id, label: name, kind: kinds.connection },
            link: { to: '/connections/$connectionId', params: { connectionId: id } },
          })),
        staleTime,
      },
      {
        queryKey: ['named', projectId],
        queryFn: () => ofProject(projectId!),
        enabled: projectId !== undefined,
        staleTime,
      },
    ],
  });
  return {
    named: asked.flatMap(({ data }) => data ?? []).filter(({ label }) => label !== ''),
    isLoading: asked.some((query) => query.isLoading),
  };
}

async function ofProject(projectId: string): Promise<Named[]> {
  const params = { path: { project_id: projectId } };
  const [playbooks, dashboards, saved, reports, conversations] = await Promise.all([
    workspace.get('/v1/projects/{project_id}/playbooks', { params }),
    workspace.get('/v1/projects/{project_id}/dashboards', { params }),
    workspace.get('/v1/projects/{project_id}/queries', { params }),
    workspace.get('/v1/projects/{project_id}/reports', { params }),
    workspace.get('/v1/projects/{project_id}/conversations', { params }),
  ]);
  return [
    ...playbooks.items.map(
      ({ id, title }): Named => ({
        ...{ id, label: title, kind: kinds.playbook },
        link: {
          to: '/projects/$projectId/playbooks/$playbookId',
          params: { projectId, playbookId: id },
        },
      }),
    ),
    ...dashboards.items.map(
      ({ id, name }): Named => ({
        ...{ id, label: name, kind: kinds.dashboard },
        link: {
          to: '/projects/$projectId/dashboards/$dashboardId',
          params: { projectId, dashboardId: id },
        },
      }),
    ),
    ...saved.items.map(
      ({ id, name }): Named => ({
        ...{ id, label: name, kind: kinds.query },
        link: { to: '/query', search: { query: id, project: projectId } },
      }),
    ),
    ...reports.items.map(
      ({ id, title }): Named => ({
        ...{ id, label: title, kind: kinds.report },
        link: {
          to: '/projects/$projectId/reports/$reportId',
          params: { projectId, reportId: id },
        },
      }),
    ),
    ...conversations.items.map(
      ({ id, title }): Named => ({
        ...{ id, label: title, kind: kinds.conversation },
        link: { to: '/projects/$projectId/ask/$chatId', params: { projectId, chatId: id } },
      }),
    ),
  ];
}
