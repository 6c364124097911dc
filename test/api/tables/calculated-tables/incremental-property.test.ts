import { test } from 'vitest';
import { useWorker } from '../../../support/worker.ts';
import { useWorkspace } from '../../../support/workspace.ts';
import { refreshThrough } from './incremental-property.ts';

const workspace = useWorkspace();
useWorker(workspace);

test('an incremental refresh gives what its query gives', () =>
  refreshThrough(workspace, 1, { queries: 2, kinds: ['append', 'maintain', 'upsert', 'append'] }));
