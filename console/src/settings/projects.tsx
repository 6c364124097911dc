import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Failure } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { projectsQuery } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { EditProject, type Project } from './edit-project.tsx';

const labels = texts.settings.projects;
const { queryKey } = projectsQuery;

/** All of them, archived ones too. */
export function Projects() {
  const [edited, setEdited] = useState<Project>();
  return (
    <>
      <CreateProject />
      {edited !== undefined && (
        <EditProject key={edited.id} project={edited} onEnd={() => setEdited(undefined)} />
      )}
      <Pages
        queryKey={[...queryKey, 'all']}
        empty={labels.empty}
        fetchPage={(page) =>
          workspace.get('/v1/projects', { params: { query: { ...page, include_archived: 'true' } } })
        }
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: labels.columns.name, value: ({ name }) => name },
              { title: labels.columns.description, value: ({ description }) => description },
              { title: labels.columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
              {
                title: labels.columns.actions,
                value: (project) =>
                  project.archivedAt === null ? (
                    <ProjectActions project={project} onEdit={() => setEdited(project)} />
                  ) : (
                    labels.archived
                  ),
              },
            ]}
          />
        )}
      </Pages>
    </>
  );
}

function ProjectActions({ project: { id, name }, onEdit }: { project: Project; onEdit: () => void }) {
  return (
    <Group>
      <Button onClick={onEdit}>{labels.rename}</Button>
      <Action
        destroys
        confirm={labels.confirmArchive(name)}
        changes={[queryKey]}
        does={() => workspace.delete('/v1/projects/{project_id}', { params: { path: { project_id: id } } })}
      >
        {labels.archive}
      </Action>
    </Group>
  );
}

function CreateProject() {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => workspace.post('/v1/projects', { body: { name } }),
    onSuccess: () => {
      setName('');
      return queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <Form isRow onSubmit={() => mutate()}>
      <Input
        label={labels.name}
        className="short"
        required
        maxLength={255}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Button variant="filled" type="submit" disabled={isPending}>
        {labels.create}
      </Button>
      {error !== null && <Failure error={error} />}
    </Form>
  );
}
