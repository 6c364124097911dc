import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closes } from '../../../data/processes/define.ts';
import { stateOfProcess } from '../../../data/processes/temporal.ts';
import { agentRunProcess } from '../../../domain/analyst/agent-runs/process.ts';
import { useOwnTemporal } from '../../support/own-temporal.ts';

/** A server that terminates a workflow after a hundred events, as any server does after 51,200. */
const server = useOwnTemporal({
  dynamicConfig: { 'limit.historyCount.error': '100', 'limit.historyCount.warn': '50' },
});
let connection: Connection;
let client: Client;

beforeAll(async () => {
  connection = await Connection.connect({ address: server().address });
  client = new Client({ connection });
});

afterAll(() => connection?.close());

/** No worker polls its queue. */
const started = (workflowId: string): Promise<WorkflowHandle> =>
  client.workflow.start('agentRun', { workflowId, taskQueue: 'nobody', args: [] });

test('a process that the service of workflows ended is no wish of an operator, and is started again', async () => {
  const handle = await started('agent-run/long');
  expect(await stateOfProcess(client, handle.workflowId)).toBe('running');
  for (let isRefused = false; !isRefused; )
    isRefused = await handle.signal('any').then(
      () => false,
      () => true,
    );
  expect((await handle.describe()).status.name).toBe('TERMINATED');
  const state = await stateOfProcess(client, handle.workflowId);
  expect(state).toBe('exhausted');
  expect(closes(agentRunProcess, state)).toBe(false);
});

test('one that an operator terminated takes its row with it, whatever the reason says', async () => {
  const handle = await started('agent-run/short');
  await handle.terminate('It exceeds limits of ours.');
  const state = await stateOfProcess(client, handle.workflowId);
  expect(state).toBe('terminated');
  expect(closes(agentRunProcess, state)).toBe(true);
  expect(await stateOfProcess(client, 'agent-run/unknown')).toBe('gone');
});
