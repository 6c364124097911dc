import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { LinkButton } from '../parts/link-button.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { importQuery } from './import-query.ts';
import { Replay } from './replay.tsx';

type TableImport = components['schemas']['TableImport'];

interface ImportProgressProps {
  projectId: string;
  importId: string;
  /** Files that wait for a look, as the address has them. */
  more: string | undefined;
}

const labels = texts.intake;

/** An import while it runs, and what came of it. */
export function ImportProgress({ projectId, importId, more }: ImportProgressProps) {
  const asked = useQuery(importQuery(importId));
  return (
    <Fetched asked={asked}>
      {(tableImport) =>
        tableImport.finishedAt === null ? (
          <Running {...{ tableImport }} />
        ) : (
          <Ended {...{ tableImport, projectId, more }} />
        )
      }
    </Fetched>
  );
}

function Running({ tableImport: { id, progress } }: { tableImport: TableImport }) {
  return (
    <>
      <p role="status">
        <label htmlFor="importing">{labels.importing}</label>
        <progress id="importing" max={1} value={progress} />
      </p>
      <Action
        changes={[['import', id]]}
        does={() =>
          workspace.post('/v1/table-imports/{import_id}/cancel', {
            params: { path: { import_id: id }, query: { confirm: 'true' } },
          })
        }
      >
        {labels.cancel}
      </Action>
    </>
  );
}

interface EndedProps extends Omit<ImportProgressProps, 'importId'> {
  tableImport: TableImport;
}

function Ended({ tableImport, projectId, more }: EndedProps) {
  const { id, status, tableId, rowsImported, rowsQuarantined, quarantineTableId, error, fileId } =
    tableImport;
  const isDone = status === 'succeeded';
  if (!isDone)
    return (
      <>
        {error === null ? (
          <p>{labels.cancelled}</p>
        ) : (
          <Failure title={labels.failed} error={new Error(error.message)} />
        )}
        <p>
          <Link to="/projects/$projectId/import" params={{ projectId }} search={{ file: fileId, more }}>
            {labels.again}
          </Link>
        </p>
      </>
    );
  return (
    <>
      <p role="status">{labels.imported(rowsImported)}</p>
      {quarantineTableId !== null && rowsQuarantined > 0 && (
        <>
          <p>
            {labels.quarantined(rowsQuarantined)}{' '}
            <Link to="/tables/$tableId" params={{ tableId: quarantineTableId }}>
              {labels.quarantine}
            </Link>
          </p>
          <Replay {...{ tableId, importId: id }} />
        </>
      )}
      <Group>
        <LinkButton variant="filled" to="/tables/$tableId" params={{ tableId }}>
          {labels.openTable}
        </LinkButton>
        <LinkButton to="/projects/$projectId/ask" params={{ projectId }}>
          {labels.ask}
        </LinkButton>
      </Group>
    </>
  );
}
