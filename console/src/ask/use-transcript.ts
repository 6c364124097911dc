import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useState } from 'react';
import { follow, WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { isSignedOut, signIn, workspace } from '../session/login.ts';
import { apply, type Transcript, transcriptOf } from './transcript.ts';

interface Place {
  projectId: string;
  chatId: string;
}

/** Between attempts, each of which tries for some seconds by itself. */
const reconnectMs = 5_000;

const mayPass = (error: Error): boolean =>
  !(error instanceof WorkspaceError) || error.status >= 500 || error.status === 429;

/** A conversation that is kept as it is at the service, over lost connections too. */
export function useTranscript({ projectId, chatId }: Place): {
  transcript: Transcript | undefined;
  error: Error | undefined;
  /** Reads it anew. */
  retry: () => void;
  change: (how: (before: Transcript) => Transcript) => void;
} {
  const queries = useQueryClient();
  const [transcript, setTranscript] = useState<Transcript>();
  const [error, setError] = useState<Error>();
  const [attempt, retry] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt reads it anew.
  useEffect(() => {
    const stop = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    setError(undefined);
    readAndFollow({ projectId, chatId }, setTranscript, stop.signal).catch((fault: Error) => {
      if (stop.signal.aborted) return;
      setError(fault);
      if (isSignedOut(fault)) void signIn();
      // What the service refuses it would refuse again; a connection comes back.
      else if (mayPass(fault)) again = setTimeout(retry, reconnectMs);
    });
    return () => {
      stop.abort();
      clearTimeout(again);
      void queries.invalidateQueries({ queryKey: ['conversations', projectId] });
    };
  }, [queries, projectId, chatId, attempt]);
  return {
    transcript,
    error,
    retry,
    change: (how) => setTranscript((before) => (before === undefined ? before : how(before))),
  };
}

type Change = (how: (before: Transcript | undefined) => Transcript | undefined) => void;

async function readAndFollow({ projectId, chatId }: Place, change: Change, signal: AbortSignal) {
  const path = { project_id: projectId, chat_id: chatId };
  const read = async () => {
    const { data } = await workspace.get('/v1/projects/{project_id}/conversations/{chat_id}', {
      params: { path },
      signal,
    });
    change(() => transcriptOf(data));
    return data.lastEventId;
  };
  const place = { projectId, conversationId: chatId };
  for (;;) {
    const after = await read();
    for await (const event of follow(workspace, place, { after, signal })) {
      // Events that are not kept any more are in what is read anew.
      if (event.event === 'reset') break;
      change((before) => before && apply(before, event));
    }
  }
}
