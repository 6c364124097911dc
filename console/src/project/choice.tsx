import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import * as texts from '../texts/index.ts';
import { projectsQuery } from './current.ts';

/** Leads to the same room of another project. */
export function ProjectChoice({ projectId }: { projectId: string | undefined }) {
  const navigate = useNavigate();
  const room = useRouterState({
    select: ({ location }) => /\/projects\/[^/]+\/(\w+)/.exec(location.pathname)?.[1],
  });
  const { data: projects = [] } = useQuery(projectsQuery);
  if (room === undefined || projects.length < 2) return null;
  return (
    <select
      aria-label={texts.project.label}
      value={projectId}
      onChange={({ target }) =>
        void navigate({
          to: `/projects/$projectId/${room}` as '/projects/$projectId/ask',
          params: { projectId: target.value },
        })
      }
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
