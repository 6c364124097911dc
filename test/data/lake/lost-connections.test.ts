import { test } from 'vitest';
import { useOwnWorkspace } from '../../support/workspace.ts';
import { readWhileConnectionsAreLost } from './lost-connections.ts';

const workspace = useOwnWorkspace();

test('what is read while connections to the catalog are lost is right, or refused as storage that is away', () =>
  readWhileConnectionsAreLost(workspace, { keys: 2_000, lastsMs: 1_500 }));
