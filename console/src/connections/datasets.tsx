import { Link } from '@tanstack/react-router';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { OnDemand } from '../parts/on-demand.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { CopyNow } from './copy-now.tsx';
import { Snapshots } from './snapshots.tsx';

const told = texts.connections.datasets;
/** Copies are taken by schedules too. */
const everyMs = 15_000;

/** What of a source is copied into tables, and its copies. */
export function Datasets({ connectionId }: { connectionId: string }) {
  const path = { connection_id: connectionId };
  const queryKey = ['datasets', connectionId];
  return (
    <Pages
      queryKey={queryKey}
      empty={told.empty}
      everyMs={everyMs}
      fetchPage={(page) =>
        workspace.get('/v1/connections/data/{connection_id}/datasets', { params: { path, query: page } })
      }
    >
      {(found) => (
        <>
          <List
            label={told.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: told.columns.name, value: ({ name }) => name },
              { title: told.columns.resource, value: ({ resource }) => resource },
              {
                title: told.columns.table,
                value: ({ tableId, snapshotTableName }) =>
                  tableId === null ? (
                    snapshotTableName
                  ) : (
                    <Link to="/tables/$tableId" params={{ tableId }}>
                      {snapshotTableName}
                    </Link>
                  ),
              },
              {
                title: told.columns.last,
                value: ({ lastSnapshotAt }) =>
                  lastSnapshotAt === null ? told.never : <Time at={lastSnapshotAt} />,
              },
              {
                title: told.columns.what,
                value: ({ id, name }) => (
                  <span className="buttons">
                    <CopyNow connectionId={connectionId} datasetId={id} />
                    <Action
                      isPlain
                      confirm={told.confirm(name)}
                      changes={[queryKey]}
                      does={() =>
                        workspace.delete('/v1/connections/data/{connection_id}/datasets/{dataset_id}', {
                          params: { path: { ...path, dataset_id: id } },
                        })
                      }
                    >
                      {told.remove}
                    </Action>
                  </span>
                ),
              },
            ]}
          />
          {found.map(({ id, name }) => (
            <OnDemand key={id} title={`${texts.connections.snapshots.title}: ${name}`}>
              <Snapshots connectionId={connectionId} datasetId={id} />
            </OnDemand>
          ))}
        </>
      )}
    </Pages>
  );
}
