import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Fetched } from '../parts/states.tsx';
import { useGone } from '../parts/use-gone.ts';
import { workspace } from '../session/login.ts';
import { useMe } from '../session/me.ts';
import * as texts from '../texts/index.ts';

const labels = texts.table.verification;
const everyMs = 500;

/** What the tests of a table said, and the rows that failed them. */
export function Verification({ tableId }: { tableId: string }) {
  const queryKey = ['verification', tableId];
  const asked = useQuery({
    queryKey,
    queryFn: async () =>
      (await workspace.get('/v1/tables/{table_id}/verification', { params: { path: { table_id: tableId } } }))
        .data,
  });
  const { data: me } = useMe();
  const isGone = useGone();
  const run = async () => {
    let { data: now } = await workspace.post('/v1/verification-tests/runs', {
      body: { table_ids: [tableId] },
    });
    while (now.finishedAt === null && !isGone.current) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      const path = { run_id: now.id };
      now = (await workspace.get('/v1/verification-tests/runs/{run_id}', { params: { path } })).data;
    }
  };
  return (
    <Fetched asked={asked}>
      {({ results }) => (
        <>
          {results.length === 0 ? (
            <p>{labels.none}</p>
          ) : (
            <List
              items={results}
              keyOf={({ definitionId }) => definitionId}
              columns={[
                {
                  title: labels.columns.name,
                  value: ({ name, definitionId }) =>
                    me?.data.admin ? (
                      <Link to="/tests/$definitionId" params={{ definitionId }}>
                        {name}
                      </Link>
                    ) : (
                      name
                    ),
                },
                {
                  title: labels.columns.status,
                  value: ({ status }) => (
                    <span
                      className={
                        status === 'passed' ? 'status good' : status === 'warned' ? 'status' : 'status bad'
                      }
                    >
                      {labels.statuses[status]}
                    </span>
                  ),
                },
                {
                  title: labels.columns.rows,
                  value: ({ failingRows, failuresTableId }) => (
                    <>
                      {failingRows?.toLocaleString()}{' '}
                      {failuresTableId !== null && (
                        <Link to="/tables/$tableId" params={{ tableId: failuresTableId }}>
                          {labels.failures}
                        </Link>
                      )}
                    </>
                  ),
                  isNumber: true,
                },
                { title: labels.columns.message, value: ({ message }) => message },
              ]}
            />
          )}
          <Action changes={[queryKey, ['catalog', tableId]]} does={run}>
            {labels.run}
          </Action>
          {me?.data.admin && (
            <p>
              <Link to="/tests/new" search={{ table: tableId }}>
                {labels.define}
              </Link>{' '}
              · <Link to="/tests">{labels.all}</Link>
            </p>
          )}
        </>
      )}
    </Fetched>
  );
}
