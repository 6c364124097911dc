import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Fetched } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import { projectsQuery, useProjectId } from './current.ts';

/** What is made in the current project; where there is none, the way to the first. */
export function WithProject({ children }: { children: (projectId: string) => ReactNode }) {
  const asked = useQuery(projectsQuery);
  const projectId = useProjectId();
  if (projectId !== undefined) return children(projectId);
  return (
    <Fetched asked={asked}>
      {() => (
        <p>
          {texts.project.none}{' '}
          <Link to="/in-project/$room" params={{ room: 'playbooks' }}>
            {texts.project.create}
          </Link>
        </p>
      )}
    </Fetched>
  );
}
