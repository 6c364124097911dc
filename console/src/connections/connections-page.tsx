import { Link } from '@tanstack/react-router';
import { List } from '../parts/list.tsx';
import { OpensPanel } from '../parts/opens-panel.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Pages } from '../parts/pages.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { NewAppConnection } from './new-app-connection.tsx';
import { NewConnection } from './new-connection.tsx';

const { title, data, app, fresh } = texts.connections;

/** Where data comes from, and the apps whose tools the analyst uses. */
export function ConnectionsPage() {
  return (
    <>
      <PageHead title={title}>
        <OpensPanel title={fresh.app}>
          <NewAppConnection />
        </OpensPanel>
        <OpensPanel title={fresh.data} isPrimary>
          <NewConnection />
        </OpensPanel>
      </PageHead>
      <h2>{data.title}</h2>
      <Pages
        queryKey={['connections', 'data']}
        empty={data.empty}
        fetchPage={(page) => workspace.get('/v1/connections/data', { params: { query: page } })}
      >
        {(found) => (
          <List
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: data.columns.name,
                value: ({ id, name }) => (
                  <Link to="/connections/$connectionId" params={{ connectionId: id }}>
                    {name}
                  </Link>
                ),
              },
              { title: data.columns.type, value: ({ type }) => type },
              {
                title: data.columns.tested,
                value: ({ lastTestedAt, lastTestOk }) =>
                  lastTestedAt !== null && (
                    <>
                      <Time at={lastTestedAt} /> · {lastTestOk ? data.ok : data.failed}
                    </>
                  ),
              },
            ]}
          />
        )}
      </Pages>
      <h2>{app.title}</h2>
      <Pages
        queryKey={['connections', 'app']}
        empty={app.empty}
        fetchPage={(page) => workspace.get('/v1/connections/app', { params: { query: page } })}
      >
        {(found) => (
          <List
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: app.columns.name,
                value: ({ id, name }) => (
                  <Link to="/app-connections/$connectionId" params={{ connectionId: id }}>
                    {name}
                  </Link>
                ),
              },
              { title: app.columns.address, value: ({ url }) => url },
              {
                title: app.columns.status,
                value: ({ status }) => (status === 'failed' ? <Status of="failed" /> : app.statuses[status]),
              },
              { title: app.columns.tools, value: ({ tools }) => tools.length, isNumber: true },
            ]}
          />
        )}
      </Pages>
    </>
  );
}
