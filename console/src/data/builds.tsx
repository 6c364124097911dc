import { useQuery } from '@tanstack/react-query';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { asLongAs } from '../parts/polling.ts';
import { hasEnded, lookEveryMs, type Run } from '../parts/run.ts';
import { Fetched } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.table.statement.builds;

/** The newest builds of a calculated table, which may belong to no project. */
export function Builds({ tableId }: { tableId: string }) {
  const queryKey = ['builds', tableId];
  const asked = useQuery({
    queryKey,
    queryFn: async () =>
      (await workspace.get('/v1/grid/tables/{table_id}/runs', { params: { path: { table_id: tableId } } }))
        .items,
    refetchInterval: asLongAs<Run[]>((runs) => !runs.every(hasEnded), lookEveryMs),
  });
  const cancel = (run: Run) => (
    <Action
      destroys
      confirm={texts.runs.cancel.confirm(run.title)}
      changes={[queryKey, ['grid-table', tableId]]}
      does={() =>
        workspace.post('/v1/grid/tables/{table_id}/runs/{run_id}/cancel', {
          params: { path: { table_id: tableId, run_id: run.id }, query: { confirm: 'true' } },
        })
      }
    >
      {texts.runs.cancel.title}
    </Action>
  );
  return (
    <Fetched asked={asked}>
      {(runs) =>
        runs.length === 0 ? (
          <p>{labels.none}</p>
        ) : (
          <List
            label={labels.title}
            items={runs}
            keyOf={({ id }) => id}
            columns={[
              { title: labels.columns.at, value: ({ createdAt }) => <Time at={createdAt} /> },
              { title: labels.columns.status, value: ({ status }) => <Status of={status} /> },
              { title: labels.columns.rows, value: ({ output }) => rowsOf(output), isNumber: true },
              {
                title: labels.columns.what,
                value: (run) => run.error?.message ?? (hasEnded(run) ? null : cancel(run)),
              },
            ]}
          />
        )
      }
    </Fetched>
  );
}

const rowsOf = (output: Run['output']): string | undefined =>
  typeof output?.['rowCount'] === 'number' ? output['rowCount'].toLocaleString() : undefined;
