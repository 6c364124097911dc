import { List } from '../../parts/list.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Time } from '../../parts/time.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';

const { version: columns, versions, noVersions } = texts.automation.playbooks;

/** What a playbook was, from the newest on, with its instructions on demand. */
export function PlaybookVersions({ projectId, playbookId }: { projectId: string; playbookId: string }) {
  const path = { project_id: projectId, playbook_id: playbookId };
  return (
    <Pages
      queryKey={['playbook-versions', playbookId]}
      empty={noVersions}
      fetchPage={(page) =>
        workspace.get('/v1/projects/{project_id}/playbooks/{playbook_id}/versions', {
          params: { path, query: page },
        })
      }
    >
      {(found) => (
        <List
          label={versions}
          items={found}
          keyOf={({ revision }) => String(revision)}
          columns={[
            { title: columns.revision, value: ({ revision }) => revision },
            {
              title: columns.title,
              value: ({ title, instructions }) => (
                <details>
                  <summary>{title}</summary>
                  <pre>{instructions}</pre>
                </details>
              ),
            },
            { title: columns.made, value: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      )}
    </Pages>
  );
}
