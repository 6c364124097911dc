import { expect, test } from 'vitest';
import { useWorkspace } from '../../../support/workspace.ts';
import { useMaintainedLakes } from './lab.ts';
import { maintainWhileWriting } from './maintain-while-writing.ts';

const workspace = useWorkspace();
const maintained = useMaintainedLakes(workspace);

test('maintenance that never rests makes no append and no query fail, and loses no row', async () => {
  const { rounds } = await maintainWhileWriting(workspace, maintained, 11);
  expect(rounds).toBeGreaterThan(0);
});
