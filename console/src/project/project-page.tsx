import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Failure, Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { projectsQuery, useProjectId } from './current.ts';

const route = getRouteApi('/framed/in-project/$room');

/** Leads to a room of the current project, after making the first project where there is none. */
export function ProjectPage() {
  const { room } = route.useParams();
  const asked = useQuery(projectsQuery);
  const projectId = useProjectId();
  return (
    <Fetched asked={asked}>
      {() =>
        projectId === undefined ? (
          <FirstProject />
        ) : (
          <Navigate
            to={`/projects/$projectId/${room}` as '/projects/$projectId/ask'}
            params={{ projectId }}
            replace
          />
        )
      }
    </Fetched>
  );
}

function FirstProject() {
  const queries = useQueryClient();
  const [name, setName] = useState<string>(texts.project.first);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => workspace.post('/v1/projects', { body: { name } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: projectsQuery.queryKey }),
  });
  return (
    <form
      className="narrow"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <h1>{texts.project.label}</h1>
      <p>{texts.project.none}</p>
      <label htmlFor="project-name">{texts.project.name}</label>
      <input
        id="project-name"
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <p>
        <button type="submit" disabled={isPending}>
          {texts.project.create}
        </button>
      </p>
      {error !== null && <Failure error={error} />}
    </form>
  );
}
