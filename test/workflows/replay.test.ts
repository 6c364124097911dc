import { readdirSync, readFileSync } from 'node:fs';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { beforeAll, expect, test } from 'vitest';
import { quietRuntime } from '../support/temporal.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

/**
 * Histories of processes that ran with earlier code. The current code must replay each of them: a change that
 * affects replay goes through `patched`. A new kind of execution adds a history; none is ever removed while
 * such a process may still run.
 */
const folder = new URL('./histories/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.binpb'));

beforeAll(quietRuntime);

test('there are histories to replay', () => {
  expect(names.length).toBeGreaterThanOrEqual(3);
});

test.each(names)('%s replays', async (name) => {
  const history = proto.temporal.api.history.v1.History.decode(readFileSync(new URL(name, folder)));
  await Worker.runReplayHistory({ workflowBundle: workflowBundle() }, history);
});
