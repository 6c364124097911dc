import { useNavigate } from '@tanstack/react-router';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { signOut, switchOrganization, workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const told = texts.settings.sessions;
const queryKey = ['sessions'];

/** The programs that the caller has signed in, and this console among them. */
export function Sessions() {
  const navigate = useNavigate();
  return (
    <>
      <p>
        <button type="button" className="plain" onClick={switchOrganization}>
          {texts.switchOrganization}
        </button>
      </p>
      <Pages
        queryKey={queryKey}
        empty={told.empty}
        fetchPage={(page) => workspace.get('/v1/auth/sessions', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={told.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: told.columns.client,
                value: ({ clientId, current }) => (current ? `${clientId} (${told.current})` : clientId),
              },
              { title: told.columns.address, value: ({ address }) => address },
              { title: told.columns.begun, value: ({ createdAt }) => <Time at={createdAt} /> },
              { title: told.columns.used, value: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
              {
                title: told.columns.actions,
                value: ({ id, clientId, current }) =>
                  current ? (
                    <Action
                      isPlain
                      confirm={told.confirmCurrent}
                      does={() => signOut().then(() => navigate({ to: '/signed-out' }))}
                    >
                      {told.end}
                    </Action>
                  ) : (
                    <Action
                      isPlain
                      confirm={told.confirm(clientId)}
                      changes={[queryKey]}
                      does={() =>
                        workspace.delete('/v1/auth/sessions/{session_id}', {
                          params: { path: { session_id: id } },
                        })
                      }
                    >
                      {told.end}
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
