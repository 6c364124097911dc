import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Failure } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { projectsQuery } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { EditProject, type Project } from './edit-project.tsx';

const told = texts.settings.projects;
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
        empty={told.empty}
        fetchPage={(page) =>
          workspace.get('/v1/projects', { params: { query: { ...page, include_archived: 'true' } } })
        }
      >
        {(found) => (
          <List
            label={told.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: told.columns.name, value: ({ name }) => name },
              { title: told.columns.description, value: ({ description }) => description },
              { title: told.columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
              {
                title: told.columns.actions,
                value: (project) =>
                  project.archivedAt === null ? (
                    <ProjectActions project={project} onEdit={() => setEdited(project)} />
                  ) : (
                    told.archived
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
    <div className="buttons">
      <button type="button" className="plain" onClick={onEdit}>
        {told.rename}
      </button>
      <Action
        isPlain
        confirm={told.confirmArchive(name)}
        changes={[queryKey]}
        does={() => workspace.delete('/v1/projects/{project_id}', { params: { path: { project_id: id } } })}
      >
        {told.archive}
      </Action>
    </div>
  );
}

function CreateProject() {
  const field = useId();
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
    <form
      className="buttons"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <label htmlFor={field}>{told.name}</label>
      <input
        id={field}
        className="short"
        required
        maxLength={255}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" disabled={isPending}>
        {told.create}
      </button>
      {error !== null && <Failure error={error} />}
    </form>
  );
}
