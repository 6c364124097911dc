import { Button, Group } from '@mantine/core';
import { useEffect, useReducer, useState } from 'react';
import { uploadFile } from '../../../clients/typescript/src/index.ts';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { give } from './given.ts';
import { uploadPathOf } from './name.ts';

interface UploadingProps {
  projectId: string;
  files: readonly File[];
  onDone: (fileIds: string[]) => void;
}

/** Sends files to the storage, one after the other, with what has left so far. Leaving the page ends it. */
export function Uploading({ projectId, files, onDone }: UploadingProps) {
  const [ids, setIds] = useState<readonly (string | undefined)[]>([]);
  const [sent, setSent] = useState(0);
  const [error, setError] = useState<Error>();
  const [attempt, retry] = useReducer((count: number) => count + 1, 0);
  const file = files[ids.length];

  function next(id: string | undefined): void {
    const known = [...ids, id];
    setError(undefined);
    setSent(0);
    setIds(known);
    if (known.length < files.length) return;
    give([]);
    onDone(known.filter((item) => item !== undefined));
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a file is sent once, and again when it is tried again.
  useEffect(() => {
    if (file === undefined) return;
    const stop = new AbortController();
    setError(undefined);
    setSent(0);
    uploadFile(workspace, {
      projectId,
      path: uploadPathOf(file),
      content: file,
      onProgress: setSent,
      signal: stop.signal,
    }).then(
      ({ id }) => {
        if (!stop.signal.aborted) next(id);
      },
      (fault: Error) => {
        if (!stop.signal.aborted) setError(fault);
      },
    );
    return () => stop.abort();
  }, [projectId, file, attempt]);
  if (file === undefined) return null;
  if (error !== undefined)
    return (
      <>
        {files.length > 1 && <p>{file.name}</p>}
        <Failure error={error} onRetry={retry} />
        {files.length === 1 ? (
          <Plain onClick={() => give([])}>{texts.intake.another}</Plain>
        ) : (
          <Plain onClick={() => next(undefined)}>{texts.intake.without}</Plain>
        )}
      </>
    );
  return (
    <>
      <p role="status">
        <label htmlFor="uploading">
          {texts.intake.uploading(file.name, { place: ids.length + 1, of: files.length })}
        </label>
        <progress id="uploading" max={Math.max(1, file.size)} value={sent} />
      </p>
      <Plain onClick={() => give([])}>{texts.parts.cancel}</Plain>
    </>
  );
}

function Plain({ children, onClick }: { children: string; onClick: () => void }) {
  return (
    <Group>
      <Button onClick={onClick}>{children}</Button>
    </Group>
  );
}
