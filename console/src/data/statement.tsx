import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Action } from '../parts/action.tsx';
import { addressOf } from '../query/address.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { isView } from './subject.ts';

const told = texts.table.statement;
const everyMs = 2_000;

/** The statement of a view or a calculated table, and whether what was built is still what it says. */
export const Statement = ({ id }: { id: string }) =>
  isView(id) ? <OfView viewId={id} /> : <OfCalculated tableId={id} />;

function OfView({ viewId }: { viewId: string }) {
  const { data } = useQuery({
    queryKey: ['view', viewId],
    queryFn: () => workspace.get('/v1/views/{view_id}', { params: { path: { view_id: viewId } } }),
  });
  return data === undefined ? null : <Sql sql={data.data.query} />;
}

function OfCalculated({ tableId }: { tableId: string }) {
  const path = { table_id: tableId };
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['grid-table', tableId],
    queryFn: async () => (await workspace.get('/v1/grid/tables/{table_id}', { params: { path } })).data,
    refetchInterval: ({ state }) =>
      state.data?.status === 'queued' || state.data?.status === 'running' ? everyMs : false,
    // Other kinds of tables have no statement, and tables of the service are not known there.
    meta: { isOptional: true },
  });
  const isBusy = data?.status === 'queued' || data?.status === 'running';
  const wasBusy = useRef(false);
  useEffect(() => {
    // What was built is read anew.
    if (wasBusy.current && !isBusy)
      for (const key of ['catalog', 'rows']) void queries.resetQueries({ queryKey: [key, tableId] });
    wasBusy.current = isBusy;
  }, [queries, tableId, isBusy]);
  if (data?.query == null) return null;
  return (
    <>
      <Sql sql={data.query} />
      <div className="buttons">
        <span role="status">{told.states[data.status]}</span>
        <Action
          isPlain
          isDisabled={isBusy}
          changes={[['grid-table', tableId]]}
          does={() => workspace.post('/v1/grid/tables/{table_id}/materialize', { params: { path } })}
        >
          {told.build}
        </Action>
      </div>
    </>
  );
}

const Sql = ({ sql }: { sql: string }) => (
  <details>
    <summary>{told.title}</summary>
    <pre>{sql}</pre>
    <p>
      <Link to="/query" {...addressOf(sql)}>
        {texts.ask.tool.query}
      </Link>
    </p>
  </details>
);
