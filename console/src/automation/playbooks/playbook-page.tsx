import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CalendarClock } from 'lucide-react';
import { useState } from 'react';
import { Action } from '../../parts/action.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { More } from '../../parts/more.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { Fetched } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import type { Playbook } from './content.ts';
import { PlaybookForm } from './playbook-form.tsx';
import { RunPlaybook } from './run-playbook.tsx';
import { PlaybookVersions } from './versions.tsx';

const route = getRouteApi('/framed/projects/$projectId/playbooks/$playbookId');
const labels = texts.automation.playbooks;

/** A playbook: run it, change it, and what it was before. */
export function PlaybookPage() {
  const { projectId, playbookId } = route.useParams();
  const asked = useQuery({
    queryKey: ['playbook', playbookId],
    queryFn: () =>
      workspace.get('/v1/projects/{project_id}/playbooks/{playbook_id}', {
        params: { path: { project_id: projectId, playbook_id: playbookId } },
      }),
  });
  return <Fetched asked={asked}>{({ data }) => <OnePlaybook key={data.id} playbook={data} />}</Fetched>;
}

function OnePlaybook({ playbook }: { playbook: Playbook }) {
  const { id, projectId, title } = playbook;
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const params = { path: { project_id: projectId, playbook_id: id } };
  const list = ['playbooks', projectId];
  // What is edited stays while the playbook is read anew, and is sent with the revision that it began with.
  const [base, setBase] = useState(playbook);
  const [loads, setLoads] = useState(0);
  const stored = (saved: Playbook) => {
    setBase(saved);
    queries.setQueryData(['playbook', id], { data: saved });
    void queries.invalidateQueries({ queryKey: list });
    void queries.invalidateQueries({ queryKey: ['playbook-versions', id] });
  };
  const edit = (
    <>
      <PlaybookForm
        key={loads}
        playbook={base}
        label={labels.save}
        save={async (body) =>
          (
            await workspace.patch('/v1/projects/{project_id}/playbooks/{playbook_id}', {
              params,
              body: { ...body, expected_revision: base.revision },
            })
          ).data
        }
        onSaved={stored}
        onRefused={() => queries.invalidateQueries({ queryKey: ['playbook', id] })}
      />
      {playbook.revision > base.revision && (
        <Button
          onClick={() => {
            setBase(playbook);
            setLoads(loads + 1);
          }}
        >
          {texts.automation.newest}
        </Button>
      )}
    </>
  );
  return (
    <>
      <PageHead title={title}>
        <LinkButton to="/schedules" search={{ playbook: id }} leftSection={<CalendarClock size={14} />}>
          {labels.schedule}
        </LinkButton>
        <More>
          <Action
            destroys
            confirm={labels.deleteSure(title)}
            does={async () => {
              await workspace.delete('/v1/projects/{project_id}/playbooks/{playbook_id}', { params });
              void queries.invalidateQueries({ queryKey: list });
              await navigate({ to: '/projects/$projectId/playbooks', params: { projectId } });
            }}
          >
            {labels.delete}
          </Action>
        </More>
      </PageHead>
      <PageTabs
        label={title}
        tabs={[
          { name: 'run', title: labels.run, isKept: true, content: <RunPlaybook playbook={playbook} /> },
          { name: 'edit', title: labels.edit, isKept: true, content: edit },
          {
            name: 'versions',
            title: labels.versions,
            content: <PlaybookVersions {...{ projectId, playbookId: id }} />,
          },
        ]}
      />
    </>
  );
}
