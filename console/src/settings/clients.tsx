import { Text } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { More } from '../parts/more.tsx';
import { Pages } from '../parts/pages.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { OfCaller } from './caller.ts';
import { IssueClient } from './issue-client.tsx';

type Client = components['schemas']['ApiClient'];
type Issued = components['schemas']['IssuedApiClient'];

const labels = texts.settings.clients;
const queryKey = ['api-clients'];
const daySeconds = 86_400;

/** Programs with credentials of their own. */
export function Clients({ me }: OfCaller) {
  const [issued, setIssued] = useState<Issued>();
  return (
    <>
      <Text c="dimmed">{labels.hint}</Text>
      <IssueClient me={me} queryKey={queryKey} onIssued={setIssued} />
      {issued !== undefined && (
        <ShownOnce
          values={[
            [labels.id, issued.clientId],
            [labels.secret(issued.name), issued.clientSecret],
          ]}
          onClose={() => setIssued(undefined)}
        />
      )}
      <Pages
        queryKey={queryKey}
        empty={labels.empty}
        fetchPage={(page) => workspace.get('/v1/auth/m2m/clients', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ clientId }) => clientId}
            columns={[
              {
                title: labels.columns.name,
                value: ({ name, clientId }) => (
                  <>
                    {name} <code>{clientId}</code>
                  </>
                ),
              },
              {
                title: labels.columns.scopes,
                value: ({ scopes, admin }) => [...scopes, ...(admin ? ['admin'] : [])].join(', '),
              },
              { title: labels.columns.used, value: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
              { title: labels.columns.status, value: (client) => labels.statuses[statusOf(client)] },
              {
                title: labels.columns.actions,
                value: (client) => <ClientActions client={client} onIssued={setIssued} />,
              },
            ]}
          />
        )}
      </Pages>
    </>
  );
}

function statusOf({ revokedAt, expiresAt }: Client): keyof typeof labels.statuses {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

function ClientActions({ client, onIssued }: { client: Client; onIssued: (issued: Issued) => void }) {
  const { name, clientId } = client;
  if (statusOf(client) !== 'active') return null;
  const params = { path: { client_id: clientId } };
  const replace = (seconds: number) => async () => {
    const body = { overlap_seconds: seconds };
    onIssued((await workspace.post('/v1/auth/m2m/clients/{client_id}/secret', { params, body })).data);
  };
  return (
    <More label={labels.more(name)}>
      <Action confirm={labels.confirmReplace(name)} does={replace(0)}>
        {labels.replace}
      </Action>
      <Action confirm={labels.confirmOverlap(name)} does={replace(daySeconds)}>
        {labels.overlap}
      </Action>
      <Action
        destroys
        confirm={labels.confirmRevoke(name)}
        changes={[queryKey]}
        does={() => workspace.delete('/v1/auth/m2m/clients/{client_id}', { params })}
      >
        {labels.revoke}
      </Action>
    </More>
  );
}
