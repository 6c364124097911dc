import { getRouteApi, Link } from '@tanstack/react-router';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { download } from '../session/download.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const route = getRouteApi('/framed/projects/$projectId/files');
const { columns, ...labels } = texts.files;

/** What a project keeps as files: what was brought in, written by a workflow, or exported. */
export function FilesPage() {
  const { projectId } = route.useParams();
  const queryKey = ['files', projectId];
  return (
    <>
      <h1>{texts.pages.files}</h1>
      <p className="buttons">
        <Link className="button" to="/projects/$projectId/import" params={{ projectId }}>
          {texts.intake.title}
        </Link>
      </p>
      <Pages
        queryKey={queryKey}
        empty={labels.empty}
        fetchPage={(page) =>
          workspace.get('/v1/projects/{project_id}/files', {
            params: { path: { project_id: projectId }, query: page },
          })
        }
      >
        {(found) => (
          <List
            label={texts.pages.files}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: columns.path, value: ({ path }) => path },
              {
                title: columns.size,
                value: ({ sizeBytes }) => labels.bytes(sizeBytes),
                isNumber: true,
              },
              { title: columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
              {
                title: columns.actions,
                value: ({ id, path }) => (
                  <div className="buttons">
                    <Link
                      to="/projects/$projectId/import"
                      params={{ projectId }}
                      search={{ file: id }}
                      aria-label={labels.read(path)}
                    >
                      {columns.read}
                    </Link>
                    <Action isPlain does={() => download(`/v1/projects/${projectId}/files/${id}/content`)}>
                      {labels.download}
                    </Action>
                    <Action
                      isPlain
                      confirm={labels.confirm(path)}
                      changes={[queryKey]}
                      does={() =>
                        workspace.delete('/v1/projects/{project_id}/files/{file_id}', {
                          params: { path: { project_id: projectId, file_id: id } },
                        })
                      }
                    >
                      {labels.remove}
                    </Action>
                  </div>
                ),
              },
            ]}
          />
        )}
      </Pages>
    </>
  );
}
