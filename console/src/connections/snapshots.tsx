import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Held } from './dataset/held.tsx';

interface SnapshotsProps {
  connectionId: string;
  datasetId: string;
}

const labels = texts.connections.snapshots;
const everyMs = 2_000;

/** The copies of a dataset, while they run and after. */
export function Snapshots({ connectionId, datasetId }: SnapshotsProps) {
  const path = { connection_id: connectionId, dataset_id: datasetId };
  const queryKey = ['snapshots', datasetId];
  const one = '/v1/connections/data/{connection_id}/datasets/{dataset_id}/snapshots/{run_id}';
  return (
    <Pages
      queryKey={queryKey}
      empty={labels.empty}
      everyMs={everyMs}
      isUnderWay={(snapshot: { finishedAt: string | null }) => snapshot.finishedAt === null}
      fetchPage={(page) =>
        workspace.get('/v1/connections/data/{connection_id}/datasets/{dataset_id}/snapshots', {
          params: { path, query: page },
        })
      }
    >
      {(found) => (
        <List
          items={found}
          keyOf={({ id }) => id}
          columns={[
            {
              title: labels.columns.status,
              value: (run) => {
                const { id, status, progress, finishedAt, waitsFor, waitsUntil } = run;
                return (
                  <>
                    {labels.statuses[status]}{' '}
                    {status === 'running' && <progress max={1} value={progress} aria-label={labels.title} />}
                    {waitsFor !== null && (
                      <p>
                        {labels.waitsFor[waitsFor]} <Time at={waitsUntil} />
                      </p>
                    )}
                    {finishedAt === null && status !== 'awaiting_confirmation' && (
                      <Action
                        changes={[queryKey]}
                        does={() =>
                          workspace.post(`${one}/cancel`, {
                            params: { path: { ...path, run_id: id }, query: { confirm: 'true' } },
                          })
                        }
                      >
                        {labels.cancel}
                      </Action>
                    )}
                    <Held run={run} />
                  </>
                );
              },
            },
            {
              title: labels.columns.rows,
              value: ({ rowsCopied }) => rowsCopied.toLocaleString(),
              isNumber: true,
            },
            { title: labels.columns.begun, value: ({ createdAt }) => <Time at={createdAt} /> },
            {
              title: labels.columns.error,
              value: ({ error, warnings }) =>
                error?.message ?? warnings.map(({ message }) => message).join(' '),
            },
          ]}
        />
      )}
    </Pages>
  );
}
