import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { WorkspaceError } from '../../../clients/typescript/src/index.ts';
import * as texts from '../texts/index.ts';

interface FailureProps {
  title?: string;
  error: Error;
  onRetry?: (() => void) | undefined;
}

/** What went wrong, as the service says it, and what to do. */
export function Failure({ title = texts.parts.failed, error, onRetry }: FailureProps) {
  const id = error instanceof WorkspaceError && error.status >= 500 ? error.requestId : undefined;
  return (
    <div className="failure" role="alert">
      <h2>{title}</h2>
      <p>{error.message}</p>
      {id !== undefined && <p>{texts.parts.requestId(id)}</p>}
      {onRetry !== undefined && <Button onClick={onRetry}>{texts.parts.tryAgain}</Button>}
    </div>
  );
}

export function Loading() {
  return (
    <Text c="dimmed" role="status">
      {texts.parts.loading}
    </Text>
  );
}

interface Asked<T> {
  data: T | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** What a part that fetches shows while it has nothing: that it loads, or why it failed. */
export function Fetched<T>({ asked, children }: { asked: Asked<T>; children: (data: T) => ReactNode }) {
  if (asked.data !== undefined) return children(asked.data);
  if (asked.error !== null) return <Failure error={asked.error} onRetry={() => void asked.refetch()} />;
  return <Loading />;
}

/** Beside what does without it: that something loads, or why it failed; nothing once it is there. */
export const Unfetched = ({ asked }: { asked: Asked<unknown> }) => (
  <Fetched asked={asked}>{() => null}</Fetched>
);
