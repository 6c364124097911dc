import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Form } from '../parts/form.tsx';
import { Input, TextArea } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { projectsQuery } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

export type Project = components['schemas']['Project'];

const labels = texts.settings.projects;

/** The name of a project, and what it is about. */
export function EditProject({ project, onEnd }: { project: Project; onEnd: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      workspace.patch('/v1/projects/{project_id}', {
        params: { path: { project_id: project.id } },
        body: { name, description },
      }),
    onSuccess: () => {
      onEnd();
      return queries.invalidateQueries({ queryKey: projectsQuery.queryKey });
    },
  });
  return (
    <Form aria-label={project.name} onSubmit={() => mutate()}>
      <Input
        label={labels.columns.name}
        required
        maxLength={255}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextArea
        label={labels.description}
        rows={2}
        maxLength={10_000}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <Group>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.save}
        </Button>
        <Button onClick={onEnd}>{texts.parts.cancel}</Button>
      </Group>
      {error !== null && <Failure error={error} />}
    </Form>
  );
}
