import { Group } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { Action } from '../parts/action.tsx';
import { LinkButton } from '../parts/link-button.tsx';
import { List } from '../parts/list.tsx';
import { PageHead } from '../parts/page-head.tsx';
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
      <PageHead title={texts.pages.files}>
        <LinkButton
          to="/projects/$projectId/import"
          params={{ projectId }}
          variant="filled"
          leftSection={<FileUp size={14} />}
        >
          {texts.intake.title}
        </LinkButton>
      </PageHead>
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
                  <Group>
                    <Link
                      to="/projects/$projectId/import"
                      params={{ projectId }}
                      search={{ file: id }}
                      aria-label={labels.read(path)}
                    >
                      {columns.read}
                    </Link>
                    <Action does={() => download(`/v1/projects/${projectId}/files/${id}/content`)}>
                      {labels.download}
                    </Action>
                    <Action
                      destroys
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
                  </Group>
                ),
              },
            ]}
          />
        )}
      </Pages>
    </>
  );
}
