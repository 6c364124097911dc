import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { items } from '../../../clients/typescript/src/index.ts';
import { workspace } from '../session/login.ts';

const key = 'project';
const maxProjects = 500;

export const projectsQuery = {
  queryKey: ['projects'],
  queryFn: async () => {
    const found = [];
    for await (const project of items((cursor) =>
      workspace.get('/v1/projects', { params: { query: { limit: 100, cursor } } }),
    )) {
      found.push(project);
      if (found.length === maxProjects) break;
    }
    return found;
  },
};

/** The project of the address, else the one that was looked at last, else the newest; none where there is none. */
export function useProjectId(): string | undefined {
  const { projectId } = useParams({ strict: false });
  const { data: projects = [] } = useQuery(projectsQuery);
  useEffect(() => {
    if (projectId !== undefined) localStorage.setItem(key, projectId);
  }, [projectId]);
  if (projectId !== undefined) return projectId;
  const last = localStorage.getItem(key);
  return (projects.find(({ id }) => id === last) ?? projects[0])?.id;
}
