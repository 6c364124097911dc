import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
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
    <Form onSubmit={() => mutate()}>
      <h1>{texts.project.label}</h1>
      <p>{texts.project.none}</p>
      <Input
        label={texts.project.name}
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <p>
        <Button variant="filled" type="submit" disabled={isPending}>
          {texts.project.create}
        </Button>
      </p>
      {error !== null && <Failure error={error} />}
    </Form>
  );
}
