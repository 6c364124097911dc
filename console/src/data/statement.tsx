import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { addressOf, type Changed } from '../parts/statement-address.ts';
import { Fetched, Unfetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Calculated } from './calculated.tsx';
import { gridTableQuery } from './grid-table.ts';
import { isView } from './subject.ts';

const labels = texts.table.statement;

/** What a view or a calculated table is made by. */
export function Statement({ id }: { id: string }) {
  return isView(id) ? <OfView viewId={id} /> : <OfTable tableId={id} />;
}

function OfView({ viewId }: { viewId: string }) {
  const asked = useQuery({
    queryKey: ['view', viewId],
    queryFn: () => workspace.get('/v1/views/{view_id}', { params: { path: { view_id: viewId } } }),
  });
  return <Fetched asked={asked}>{({ data }) => <Sql of={data} sql={data.query} />}</Fetched>;
}

function OfTable({ tableId }: { tableId: string }) {
  const asked = useQuery(gridTableQuery(tableId));
  const { data, error } = asked;
  // System tables are not known there, so it shows nothing for them.
  const isUnknown = error instanceof WorkspaceError && error.status === 404;
  if (data === undefined && error !== null && !isUnknown) return <Unfetched asked={asked} />;
  if (data?.query == null) return null;
  return (
    <>
      <Sql of={{ id: tableId, revision: data.revision }} sql={data.query} />
      <Calculated table={data} />
    </>
  );
}

function Sql({ of, sql }: { of: Changed; sql: string }) {
  return (
    <details>
      <summary>{labels.title}</summary>
      <pre>{sql}</pre>
      <p>
        <Link to="/query" {...addressOf(sql)}>
          {texts.ask.tool.query}
        </Link>{' '}
        ·{' '}
        <Link to="/query" {...addressOf(sql, of)}>
          {labels.change}
        </Link>
      </p>
    </details>
  );
}
