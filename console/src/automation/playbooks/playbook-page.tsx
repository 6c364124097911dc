import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../../parts/action.tsx';
import { Fetched } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { AutomationNav } from '../nav.tsx';
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
  return (
    <>
      <h1>{title}</h1>
      <AutomationNav />
      <h2>{labels.run}</h2>
      <RunPlaybook playbook={playbook} />
      <p>
        <Link to="/schedules" search={{ playbook: id }}>
          {labels.schedule}
        </Link>
      </p>
      <h2>{labels.edit}</h2>
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
        <p>
          <button
            type="button"
            className="plain"
            onClick={() => {
              setBase(playbook);
              setLoads(loads + 1);
            }}
          >
            {texts.automation.newest}
          </button>
        </p>
      )}
      <h2>{labels.versions}</h2>
      <PlaybookVersions {...{ projectId, playbookId: id }} />
      <Action
        isPlain
        confirm={labels.deleteSure(title)}
        does={async () => {
          await workspace.delete('/v1/projects/{project_id}/playbooks/{playbook_id}', { params });
          void queries.invalidateQueries({ queryKey: list });
          await navigate({ to: '/projects/$projectId/playbooks', params: { projectId } });
        }}
      >
        {labels.delete}
      </Action>
    </>
  );
}
