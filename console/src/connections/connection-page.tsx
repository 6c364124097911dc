import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { OnDemand } from '../parts/on-demand.tsx';
import { Fetched } from '../parts/states.tsx';
import { cellText } from '../parts/value.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Datasets } from './datasets.tsx';
import { EditConnection } from './edit-connection.tsx';
import { EditPolicy } from './replication/edit-policy.tsx';
import { Resources } from './resources.tsx';
import { Test } from './test.tsx';
import { useTest } from './use-test.ts';

const route = getRouteApi('/framed/connections/$connectionId');
const { connection: labels, replication } = texts.connections;

type Connection = components['schemas']['DataConnection'];

/** A connection to a source of data: whether it works, what is there, and what is copied. */
export function ConnectionPage() {
  const { connectionId } = route.useParams();
  const asked = useQuery({
    queryKey: ['connection', connectionId],
    queryFn: async () =>
      (
        await workspace.get('/v1/connections/data/{connection_id}', {
          params: { path: { connection_id: connectionId } },
        })
      ).data,
  });
  return (
    <Fetched asked={asked}>{(connection) => <Shown key={connectionId} connection={connection} />}</Fetched>
  );
}

function Shown({ connection }: { connection: Connection }) {
  const navigate = route.useNavigate();
  const { id, name, type, description, config, secretKeys } = connection;
  const path = { connection_id: id };
  const test = useTest(id);
  return (
    <>
      <h1>{name}</h1>
      <p className="facts">{type}</p>
      {description !== '' && <p className="pre">{description}</p>}
      <Test asked={test} />
      <OnDemand title={labels.settings}>
        <dl className="facts-list">
          {Object.entries(config).map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{cellText(value)}</dd>
            </div>
          ))}
        </dl>
        {secretKeys.length > 0 && <p>{labels.secrets(secretKeys.join(', '))}</p>}
      </OnDemand>
      <OnDemand isKept title={labels.edit}>
        <EditConnection connection={connection} onSaved={() => test.mutate()} />
      </OnDemand>
      <OnDemand isKept title={type === 'http' ? replication.title : replication.copies}>
        <EditPolicy connection={connection} />
      </OnDemand>
      <h2>{texts.connections.datasets.title}</h2>
      <Datasets {...{ connectionId: id, type }} />
      <OnDemand title={texts.connections.resources.title}>
        <Resources {...{ connectionId: id, type }} />
      </OnDemand>
      <Action
        isPlain
        confirm={labels.confirm(name)}
        changes={[['connections']]}
        does={async () => {
          await workspace.delete('/v1/connections/data/{connection_id}', {
            params: { path, query: { detach: 'true' } },
          });
          await navigate({ to: '/connections' });
        }}
      >
        {labels.remove}
      </Action>
    </>
  );
}
