import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { Select } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';
import { chooseProject, projectsQuery } from './current.ts';

/** Leads to the same room of another project; on other pages it chooses the one that their links lead to. */
export function ProjectChoice({ projectId }: { projectId: string | undefined }) {
  const navigate = useNavigate();
  const room = useRouterState({
    select: ({ location }) => /\/projects\/[^/]+\/(\w+)/.exec(location.pathname)?.[1],
  });
  const { data: projects = [] } = useQuery(projectsQuery);
  if (projects.length === 0) return null;
  const choose = (chosen: string) =>
    room === undefined
      ? chooseProject(chosen)
      : void navigate({
          to: `/projects/$projectId/${room}` as '/projects/$projectId/ask',
          params: { projectId: chosen },
        });
  return (
    <Select
      aria-label={texts.project.label}
      value={projectId}
      onChange={({ target }) => choose(target.value)}
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}
