import { test } from 'vitest';
import { useTimeSkipping } from '../support/conversation-process.ts';
import { useWorkspace } from '../support/workspace.ts';
import { activateBetweenFires } from './workflow-activations.ts';

const workspace = useWorkspace();
const skipping = useTimeSkipping();

test('activations between and during the fires of a cadence miss none and double none', () =>
  activateBetweenFires(workspace, skipping, 20));
