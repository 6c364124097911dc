import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { OnDemand } from '../parts/on-demand.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { CopyNow } from './copy-now.tsx';
import { EditDataset } from './dataset/edit-dataset.tsx';
import { HeldCopies } from './dataset/held-copies.tsx';
import { modeInWords } from './dataset/in-words.ts';
import { Scheduled } from './dataset/scheduled.tsx';
import type { ConnectionKind } from './dataset/settings.ts';
import { Snapshots } from './snapshots.tsx';

const labels = texts.connections.datasets;
/** Copies are taken by schedules too. */
const everyMs = 15_000;

/** What of a source is copied into tables, and its copies. */
export function Datasets({ connectionId, type }: { connectionId: string; type: ConnectionKind }) {
  const path = { connection_id: connectionId };
  const queryKey = ['datasets', connectionId];
  return (
    <Pages
      queryKey={queryKey}
      empty={labels.empty}
      everyMs={everyMs}
      fetchPage={(page) =>
        workspace.get('/v1/connections/data/{connection_id}/datasets', { params: { path, query: page } })
      }
    >
      {(found) => (
        <>
          <HeldCopies connectionId={connectionId} />
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: labels.columns.name, value: ({ name }) => name },
              { title: labels.columns.resource, value: ({ resource }) => resource },
              {
                title: labels.columns.table,
                value: ({ tableId, snapshotTableName }) =>
                  tableId === null ? (
                    snapshotTableName
                  ) : (
                    <Link to="/tables/$tableId" params={{ tableId }}>
                      {snapshotTableName}
                    </Link>
                  ),
              },
              { title: labels.columns.mode, value: (dataset) => modeInWords(type, dataset) },
              { title: labels.columns.schedule, value: (dataset) => <Scheduled dataset={dataset} /> },
              {
                title: labels.columns.last,
                value: ({ lastSnapshotAt }) =>
                  lastSnapshotAt === null ? labels.never : <Time at={lastSnapshotAt} />,
              },
              {
                title: labels.columns.what,
                value: ({ id, name }) => (
                  <Group>
                    <CopyNow connectionId={connectionId} datasetId={id} />
                    <Action
                      destroys
                      confirm={labels.confirm(name)}
                      changes={[queryKey]}
                      does={() =>
                        workspace.delete('/v1/connections/data/{connection_id}/datasets/{dataset_id}', {
                          params: { path: { ...path, dataset_id: id } },
                        })
                      }
                    >
                      {labels.remove}
                    </Action>
                  </Group>
                ),
              },
            ]}
          />
          {found.map((dataset) => (
            <div key={dataset.id}>
              <OnDemand title={texts.connections.dataset.how(dataset.name)}>
                <EditDataset {...{ dataset, type }} />
              </OnDemand>
              <OnDemand title={`${texts.connections.snapshots.title}: ${dataset.name}`}>
                <Snapshots connectionId={connectionId} datasetId={dataset.id} />
              </OnDemand>
            </div>
          ))}
        </>
      )}
    </Pages>
  );
}
