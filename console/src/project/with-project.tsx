import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fetched } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import { projectsQuery, useProjectId } from './current.ts';

/** Where there is no project, the way to the first: what is made belongs to one. */
export function WithProject() {
  const asked = useQuery(projectsQuery);
  const projectId = useProjectId();
  if (projectId !== undefined) return null;
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
