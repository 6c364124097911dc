import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { More } from '../parts/more.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Fetched } from '../parts/states.tsx';
import { cellText } from '../parts/value.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Datasets } from './datasets.tsx';
import { EditConnection } from './edit-connection.tsx';
import { EditPolicy } from './replication/edit-policy.tsx';
import { Resources } from './resources.tsx';
import { Test, Tested } from './test.tsx';
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
      <PageHead title={name} facts={type}>
        <Test asked={test} />
        <More>
          <Action
            destroys
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
        </More>
      </PageHead>
      {description !== '' && <p className="pre">{description}</p>}
      <Tested asked={test} />
      <PageTabs
        label={name}
        tabs={[
          {
            name: 'datasets',
            title: texts.connections.datasets.title,
            isKept: true,
            content: <Datasets {...{ connectionId: id, type }} />,
          },
          {
            name: 'resources',
            title: texts.connections.resources.title,
            isKept: true,
            content: <Resources {...{ connectionId: id, type }} />,
          },
          {
            name: 'replication',
            title: type === 'http' ? replication.title : replication.copies,
            isKept: true,
            content: <EditPolicy connection={connection} />,
          },
          {
            name: 'edit',
            title: labels.edit,
            isKept: true,
            content: <EditConnection connection={connection} onSaved={() => test.mutate()} />,
          },
          {
            name: 'settings',
            title: labels.settings,
            content: <Settings {...{ config, secretKeys }} />,
          },
        ]}
      />
    </>
  );
}

const Settings = ({ config, secretKeys }: Pick<Connection, 'config' | 'secretKeys'>) => (
  <>
    <dl className="facts-list">
      {Object.entries(config).map(([key, value]) => (
        <Fragment key={key}>
          <dt>{key}</dt>
          <dd>{cellText(value)}</dd>
        </Fragment>
      ))}
    </dl>
    {secretKeys.length > 0 && <p>{labels.secrets(secretKeys.join(', '))}</p>}
  </>
);
