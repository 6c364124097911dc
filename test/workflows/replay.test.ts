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

/** By one worker: each more would load all workflows again. */
test('every history replays', async () => {
  async function* histories() {
    for (const workflowId of names) {
      const history = proto.temporal.api.history.v1.History.decode(readFileSync(new URL(workflowId, folder)));
      yield { workflowId, history };
    }
  }
  const replayed: string[] = [];
  const failed: unknown[] = [];
  const results = Worker.runReplayHistories({ workflowBundle: workflowBundle() }, histories());
  for await (const { workflowId, error } of results) {
    replayed.push(workflowId);
    if (error !== undefined) failed.push([workflowId, error]);
  }
  expect(failed).toEqual([]);
  expect(replayed.toSorted()).toEqual(names.toSorted());
});
