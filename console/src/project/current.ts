import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { some } from '../../../clients/typescript/src/index.ts';
import { workspace } from '../session/login.ts';

const key = 'project';
const maxProjects = 500;

export const projectsQuery = {
  queryKey: ['projects'],
  queryFn: () => some(maxProjects, (page) => workspace.get('/v1/projects', { params: { query: page } })),
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
