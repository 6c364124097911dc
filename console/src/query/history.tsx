import { Link } from '@tanstack/react-router';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { addressOf } from '../parts/statement-address.ts';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const { title, empty, columns } = texts.query.history;
const shown = 200;
export const historyKey = ['query-executions'];

/** Statements that were run, newest first; each leads to itself. */
export function History({ onChosen }: { onChosen: () => void }) {
  return (
    <Pages
      queryKey={historyKey}
      empty={empty}
      fetchPage={(page) => workspace.get('/v1/query-executions', { params: { query: page } })}
    >
      {(found) => (
        <List
          label={title}
          items={found}
          keyOf={({ id }) => id}
          columns={[
            {
              title: columns.sql,
              value: ({ sql }) => (
                <Link to="/query" {...addressOf(sql)} className="code" onClick={onChosen}>
                  {sql.length > shown ? `${sql.slice(0, shown)}…` : sql}
                </Link>
              ),
            },
            { title: columns.status, value: ({ status }) => <Status of={status} /> },
            {
              title: columns.rows,
              value: ({ rowCount }) => rowCount?.toLocaleString(),
              isNumber: true,
            },
            { title: columns.at, value: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      )}
    </Pages>
  );
}
