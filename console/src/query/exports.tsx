import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { TableName } from '../data/table-name.tsx';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { addressOf } from '../parts/statement-address.ts';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { ExportedFiles } from '../runs/exported-files.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

type Export = components['schemas']['Export'];

const labels = texts.query.exports;
const shown = 200;
const everyMs = 2_000;
export const exportsKey = ['exports'];

/** What was exported, newest first. Files are kept for a day. */
export function Exports() {
  return (
    <Pages
      queryKey={exportsKey}
      empty={labels.empty}
      everyMs={everyMs}
      isUnderWay={isUnderWay}
      fetchPage={(page) => workspace.get('/v1/exports', { params: { query: page } })}
    >
      {(found) => (
        <List
          label={labels.title}
          items={found}
          keyOf={({ id }) => id}
          columns={[
            { title: labels.columns.what, value: (one) => <Exported of={one} /> },
            { title: labels.columns.format, value: ({ format }) => format },
            { title: labels.columns.status, value: ({ status }) => <Status of={status} /> },
            {
              title: labels.columns.rows,
              value: ({ rowsWritten }) => rowsWritten.toLocaleString(),
              isNumber: true,
            },
            { title: labels.columns.at, value: ({ createdAt }) => <Time at={createdAt} /> },
            { title: labels.columns.files, value: (one) => <Files of={one} /> },
          ]}
        />
      )}
    </Pages>
  );
}

const isUnderWay = ({ finishedAt }: Export): boolean => finishedAt === null;

function Exported({ of: { sql, tableId } }: { of: Export }) {
  if (sql !== null)
    return (
      <Link to="/query" {...addressOf(sql)} className="code">
        {sql.length > shown ? `${sql.slice(0, shown)}…` : sql}
      </Link>
    );
  return tableId === null ? null : (
    <Link to="/tables/$tableId" params={{ tableId }}>
      <TableName id={tableId} />
    </Link>
  );
}

/** Its files once it has them, else why not. */
function Files({ of: one }: { of: Export }) {
  const [isOpen, setIsOpen] = useState(false);
  if (isUnderWay(one))
    return (
      <Action
        changes={[exportsKey]}
        does={() =>
          workspace.post('/v1/exports/{export_id}/cancel', {
            params: { path: { export_id: one.id }, query: { confirm: 'true' } },
          })
        }
      >
        {texts.parts.cancel}
      </Action>
    );
  if (one.status !== 'succeeded') return one.error?.message;
  return isOpen ? (
    <ExportedFiles exportId={one.id} />
  ) : (
    <Button onClick={() => setIsOpen(true)}>{labels.show}</Button>
  );
}
