import { test } from 'vitest';
import { useWorker } from '../../../support/worker.ts';
import { useWorkspace } from '../../../support/workspace.ts';
import { refreshThrough } from './incremental-property.ts';

const workspace = useWorkspace();
useWorker(workspace);

test.each([1, 2])('an incremental refresh gives what its query gives, seed %i', (seed) =>
  refreshThrough(workspace, seed, {
    queries: 4,
    kinds: ['append', 'maintain', 'upsert', 'append', 'remove', 'maintain', 'other', 'append'],
  }),
);
