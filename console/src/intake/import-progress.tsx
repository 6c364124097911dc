import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { asLongAs } from '../parts/polling.ts';
import { Failure, Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { takeBegun } from './begun.ts';
import { Replay } from './replay.tsx';

type TableImport = components['schemas']['TableImport'];

interface ImportProgressProps {
  projectId: string;
  importId: string;
}

const everyMs = 500;
const told = texts.intake;

/** An import while it runs, and what came of it. */
export function ImportProgress({ projectId, importId }: ImportProgressProps) {
  const asked = useQuery({
    queryKey: ['import', importId],
    queryFn: async () =>
      (await workspace.get('/v1/table-imports/{import_id}', { params: { path: { import_id: importId } } }))
        .data,
    refetchInterval: asLongAs(({ finishedAt }) => finishedAt === null, everyMs),
  });
  return (
    <Fetched asked={asked}>
      {(one) => (one.finishedAt === null ? <Running {...{ one }} /> : <Ended {...{ one, projectId }} />)}
    </Fetched>
  );
}

function Running({ one: { id, progress } }: { one: TableImport }) {
  return (
    <>
      <p role="status">
        <label htmlFor="importing">{told.importing}</label>
        <progress id="importing" max={1} value={progress} />
      </p>
      <Action
        isPlain
        changes={[['import', id]]}
        does={() =>
          workspace.post('/v1/table-imports/{import_id}/cancel', {
            params: { path: { import_id: id }, query: { confirm: 'true' } },
          })
        }
      >
        {told.cancel}
      </Action>
    </>
  );
}

function Ended({ one, projectId }: { one: TableImport; projectId: string }) {
  const { id, status, tableId, rowsImported, rowsQuarantined, quarantineTableId, error, fileId } = one;
  const isDone = status === 'succeeded';
  const attachFault = useAttached(one);
  if (!isDone)
    return (
      <>
        {error === null ? (
          <p>{told.cancelled}</p>
        ) : (
          <Failure title={told.failed} error={new Error(error.message)} />
        )}
        <p>
          <Link to="/projects/$projectId/import" params={{ projectId }} search={{ file: fileId }}>
            {told.again}
          </Link>
        </p>
      </>
    );
  return (
    <>
      <p role="status">{told.imported(rowsImported)}</p>
      {attachFault !== undefined && <Failure title={told.notAttached} error={attachFault} />}
      {quarantineTableId !== null && rowsQuarantined > 0 && (
        <>
          <p>
            {told.quarantined(rowsQuarantined)}{' '}
            <Link to="/tables/$tableId" params={{ tableId: quarantineTableId }}>
              {told.quarantine}
            </Link>
          </p>
          <Replay {...{ tableId, importId: id }} />
        </>
      )}
      <p className="buttons">
        <Link className="button" to="/tables/$tableId" params={{ tableId }}>
          {told.openTable}
        </Link>
        <Link className="button plain" to="/projects/$projectId/ask" params={{ projectId }}>
          {told.ask}
        </Link>
      </p>
    </>
  );
}

/** What one brings into a project, its analyst may read. Whoever only looks at an import attaches nothing. */
function useAttached({ id, status, projectId, tableId }: TableImport): Error | undefined {
  const queries = useQueryClient();
  const [fault, setFault] = useState<Error>();
  useEffect(() => {
    if (status !== 'succeeded' || !takeBegun(id)) return;
    void queries.invalidateQueries({ queryKey: ['tables'] });
    const path = { project_id: projectId };
    workspace
      .post('/v1/projects/{project_id}/catalog-entries', { params: { path }, body: { table_id: tableId } })
      .then(() => queries.invalidateQueries({ queryKey: ['attached', projectId] }), setFault);
  }, [queries, id, status, projectId, tableId]);
  return fault;
}
