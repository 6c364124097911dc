import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Failure } from '../parts/states.tsx';
import { projectsQuery } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

export type Project = components['schemas']['Project'];

const labels = texts.settings.projects;

/** The name of a project, and what it is about. */
export function EditProject({ project, onEnd }: { project: Project; onEnd: () => void }) {
  const [nameField, descriptionField] = [useId(), useId()];
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
    <form
      className="asks narrow"
      aria-label={project.name}
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <label htmlFor={nameField}>{labels.columns.name}</label>
      <input
        id={nameField}
        required
        maxLength={255}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <label htmlFor={descriptionField}>{labels.description}</label>
      <textarea
        id={descriptionField}
        className="prose"
        rows={2}
        maxLength={10_000}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <p className="buttons">
        <button type="submit" disabled={isPending}>
          {labels.save}
        </button>
        <button type="button" className="plain" onClick={onEnd}>
          {texts.parts.cancel}
        </button>
      </p>
      {error !== null && <Failure error={error} />}
    </form>
  );
}
