import { Link } from '@tanstack/react-router';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const told = texts.table.versions;

/** What a table was: each version leads to its rows. */
export function Versions({ tableId }: { tableId: string }) {
  return (
    <Pages
      queryKey={['versions', tableId]}
      empty={told.empty}
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
              title: told.columns.version,
              value: ({ version }) => (
                <Link
                  to="/tables/$tableId"
                  params={{ tableId }}
                  search={{ version: String(version) }}
                  aria-label={told.read(version)}
                >
                  {version}
                </Link>
              ),
            },
            { title: told.columns.at, value: ({ committedAt }) => <Time at={committedAt} /> },
            { title: told.columns.what, value: ({ operation }) => operation },
            {
              title: told.columns.added,
              value: ({ rowsAdded }) => rowsAdded.toLocaleString('en'),
              isNumber: true,
            },
            {
              title: told.columns.removed,
              value: ({ rowsRemoved }) => rowsRemoved.toLocaleString('en'),
              isNumber: true,
            },
          ]}
        />
      )}
    </Pages>
  );
}
