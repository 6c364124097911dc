import { Link } from '@tanstack/react-router';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.table.versions;

/** What a table was: each version leads to its rows. */
export function Versions({ tableId }: { tableId: string }) {
  return (
    <Pages
      queryKey={['versions', tableId]}
      empty={labels.empty}
      fetchPage={(page) =>
        workspace.get('/v1/tables/{table_id}/versions', {
          params: { path: { table_id: tableId }, query: page },
        })
      }
    >
      {(found) => (
        <List
          items={found}
          keyOf={({ version }) => String(version)}
          columns={[
            {
              title: labels.columns.version,
              value: ({ version }) => (
                <Link
                  to="/tables/$tableId"
                  params={{ tableId }}
                  search={{ version: String(version) }}
                  aria-label={labels.read(version)}
                >
                  {version}
                </Link>
              ),
            },
            { title: labels.columns.at, value: ({ committedAt }) => <Time at={committedAt} /> },
            { title: labels.columns.what, value: ({ operation }) => operation },
            {
              title: labels.columns.added,
              value: ({ rowsAdded }) => rowsAdded.toLocaleString(),
              isNumber: true,
            },
            {
              title: labels.columns.removed,
              value: ({ rowsRemoved }) => rowsRemoved.toLocaleString(),
              isNumber: true,
            },
          ]}
        />
      )}
    </Pages>
  );
}
