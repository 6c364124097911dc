import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { signOut, switchOrganization, workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.settings.sessions;
const queryKey = ['sessions'];

/** The programs that the caller has signed in, and this console among them. */
export function Sessions() {
  const navigate = useNavigate();
  return (
    <>
      <p>
        <Button onClick={switchOrganization}>{texts.switchOrganization}</Button>
      </p>
      <Pages
        queryKey={queryKey}
        empty={labels.empty}
        fetchPage={(page) => workspace.get('/v1/auth/sessions', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: labels.columns.client,
                value: ({ clientId, current }) => (current ? `${clientId} (${labels.current})` : clientId),
              },
              { title: labels.columns.address, value: ({ address }) => address },
              { title: labels.columns.begun, value: ({ createdAt }) => <Time at={createdAt} /> },
              { title: labels.columns.used, value: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
              {
                title: labels.columns.actions,
                value: ({ id, clientId, current }) =>
                  current ? (
                    <Action
                      confirm={labels.confirmCurrent}
                      does={() => signOut().then(() => navigate({ to: '/signed-out' }))}
                    >
                      {labels.end}
                    </Action>
                  ) : (
                    <Action
                      destroys
                      confirm={labels.confirm(clientId)}
                      changes={[queryKey]}
                      does={() =>
                        workspace.delete('/v1/auth/sessions/{session_id}', {
                          params: { path: { session_id: id } },
                        })
                      }
                    >
                      {labels.end}
                    </Action>
                  ),
              },
            ]}
          />
        )}
      </Pages>
    </>
  );
}
