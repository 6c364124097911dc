import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../../parts/list.tsx';
import { OpensPanel } from '../../parts/opens-panel.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Time } from '../../parts/time.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { AutomationNav } from '../nav.tsx';
import type { Playbook } from './content.ts';
import { PlaybookForm } from './playbook-form.tsx';

const route = getRouteApi('/framed/projects/$projectId/playbooks');
const labels = texts.automation.playbooks;

/** The playbooks of a project, and a new one. */
export function PlaybooksPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const path = { project_id: projectId };
  const opened = async ({ id }: Playbook) => {
    void queries.invalidateQueries({ queryKey: ['playbooks', projectId] });
    await navigate({
      to: '/projects/$projectId/playbooks/$playbookId',
      params: { projectId, playbookId: id },
    });
  };
  return (
    <>
      <PageHead title={labels.title}>
        <OpensPanel title={labels.new} isPrimary>
          <PlaybookForm
            label={labels.create}
            save={async (body) =>
              (await workspace.post('/v1/projects/{project_id}/playbooks', { params: { path }, body })).data
            }
            onSaved={opened}
          />
        </OpensPanel>
      </PageHead>
      <AutomationNav />
      <Text c="dimmed">{labels.about}</Text>
      <Pages
        queryKey={['playbooks', projectId]}
        empty={labels.empty}
        fetchPage={(page) =>
          workspace.get('/v1/projects/{project_id}/playbooks', { params: { path, query: page } })
        }
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: labels.columns.title,
                value: ({ id, title }) => (
                  <Link
                    to="/projects/$projectId/playbooks/$playbookId"
                    params={{ projectId, playbookId: id }}
                  >
                    {title}
                  </Link>
                ),
              },
              {
                title: labels.columns.parameters,
                value: ({ parameters }) => Object.keys(parameters).join(', '),
              },
              { title: labels.columns.output, value: ({ output }) => labels.outputs[output.type] },
              { title: labels.columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
            ]}
          />
        )}
      </Pages>
    </>
  );
}
