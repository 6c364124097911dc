import { Group, Text } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { Action } from '../parts/action.tsx';
import type { Run } from '../parts/run.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.runs.resume;

/** A run of a workflow that failed goes on from what failed. */
export function Resume({ run, changes }: { run: Run; changes: readonly QueryKey[] }) {
  const path = { workflow_id: run.resource.id, run_id: run.id };
  const resume = (data: 'kept' | 'newest') => () =>
    workspace.post('/v1/workflows/{workflow_id}/runs/{run_id}/resume', { params: { path, query: { data } } });
  return (
    <>
      <Group>
        <Action isPrimary does={resume('kept')} changes={changes}>
          {labels.title}
        </Action>
        <Action does={resume('newest')} changes={changes}>
          {labels.newest}
        </Action>
      </Group>
      <Text c="dimmed">{labels.hint}</Text>
    </>
  );
}
