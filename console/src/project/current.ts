import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { some } from '../../../clients/typescript/src/index.ts';
import { workspace } from '../session/login.ts';

const key = 'project';
const maxProjects = 500;

export const projectsQuery = {
  queryKey: ['projects'],
  queryFn: () => some(maxProjects, (page) => workspace.get('/v1/projects', { params: { query: page } })),
};

const listeners = new Set<() => void>();
const lastLookedAt = () => localStorage.getItem(key);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The project of pages whose address has none. */
export function chooseProject(projectId: string): void {
  localStorage.setItem(key, projectId);
  for (const tell of listeners) tell();
}

/** The project of the address, else the one that was looked at last, else the newest; none where there is none. */
export function useProjectId(): string | undefined {
  const { projectId } = useParams({ strict: false });
  const { data: projects = [] } = useQuery(projectsQuery);
  const last = useSyncExternalStore(subscribe, lastLookedAt);
  useEffect(() => {
    if (projectId !== undefined) chooseProject(projectId);
  }, [projectId]);
  if (projectId !== undefined) return projectId;
  return (projects.find(({ id }) => id === last) ?? projects[0])?.id;
}
