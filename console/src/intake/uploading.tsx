import { useEffect, useReducer, useState } from 'react';
import { uploadFile } from '../../../clients/typescript/src/index.ts';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { give } from './given.ts';
import { uploadPathOf } from './name.ts';

interface UploadingProps {
  projectId: string;
  file: File;
  onDone: (fileId: string) => void;
}

/** Sends a file to the storage, with what has left so far. Leaving the page ends it. */
export function Uploading({ projectId, file, onDone }: UploadingProps) {
  const [sent, setSent] = useState(0);
  const [error, setError] = useState<Error>();
  const [attempt, retry] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file is sent once, and again when it is tried again.
  useEffect(() => {
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
        if (stop.signal.aborted) return;
        give(undefined);
        onDone(id);
      },
      (fault: Error) => {
        if (!stop.signal.aborted) setError(fault);
      },
    );
    return () => stop.abort();
  }, [projectId, file, attempt]);
  if (error !== undefined)
    return (
      <>
        <Failure error={error} onRetry={retry} />
        <Forget>{texts.intake.another}</Forget>
      </>
    );
  return (
    <>
      <p role="status">
        <label htmlFor="uploading">{texts.intake.uploading(file.name)}</label>
        <progress id="uploading" max={Math.max(1, file.size)} value={sent} />
      </p>
      <Forget>{texts.parts.cancel}</Forget>
    </>
  );
}

function Forget({ children }: { children: string }) {
  return (
    <p className="buttons">
      <button type="button" className="plain" onClick={() => give(undefined)}>
        {children}
      </button>
    </p>
  );
}
