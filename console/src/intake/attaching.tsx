import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { type Begun, endImport, useBegun } from './begun.ts';
import { importQuery } from './import-query.ts';

/**
 * What one brings into a project, its analyst may read: each import that was begun in this tab is followed to its
 * end, wherever one goes meanwhile. Whoever only looks at an import attaches nothing.
 */
export function Attaching() {
  return useBegun().map((begun) => <AttachingOne key={begun.importId} {...begun} />);
}

function AttachingOne({ importId, projectId }: Begun) {
  const queries = useQueryClient();
  const { data, error: lost } = useQuery(importQuery(importId));
  const { mutate, error } = useMutation({
    mutationFn: (tableId: string) =>
      workspace.post('/v1/projects/{project_id}/catalog-entries', {
        params: { path: { project_id: projectId } },
        body: { table_id: tableId },
      }),
    onSuccess: () => {
      endImport(importId);
      return queries.invalidateQueries({ queryKey: ['attached', projectId] });
    },
  });
  const { finishedAt = null, status, tableId } = data ?? {};
  useEffect(() => {
    if (finishedAt === null || tableId === undefined) return;
    void queries.invalidateQueries({ queryKey: ['tables'] });
    if (status === 'succeeded') mutate(tableId);
    else endImport(importId);
  }, [queries, mutate, importId, finishedAt, status, tableId]);
  const isGone = lost instanceof WorkspaceError && lost.status === 404;
  useEffect(() => {
    if (isGone) endImport(importId);
  }, [isGone, importId]);
  if (error === null || tableId === undefined) return null;
  return (
    <>
      <Failure title={texts.intake.notAttached} error={error} onRetry={() => mutate(tableId)} />
      <Group>
        <Button onClick={() => endImport(importId)}>{texts.parts.close}</Button>
      </Group>
    </>
  );
}
