import type { Connection, WorkflowHandle } from '@temporalio/client';
import { IllegalStateError } from '@temporalio/common';
import proto from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { searchAttributeNames } from '../../workflows/task-queues.ts';
import { expectEventually } from './eventually.ts';

/**
 * Workers of tests say nothing but errors: what they report is asserted, not read. A runtime lives until the
 * last of its connections is closed, and files of one process follow each other: the next one may meet it.
 */
export function quietRuntime(): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

/**
 * A service of workflows whose clock jumps to whatever is waited for, with the attributes that processes set.
 */
export async function timeSkipping(): Promise<TestWorkflowEnvironment> {
  const path = process.env['TEMPORAL_TEST_SERVER_BIN']!;
  const env = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  const keyword = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;
  await (env.connection as Connection).operatorService.addSearchAttributes({
    searchAttributes: Object.fromEntries(searchAttributeNames.map((name) => [name, keyword])),
  });
  return env;
}

/** Waits until the process has an event that carries these attributes: `timerStartedEventAttributes`. */
export async function untilEvent(
  handle: WorkflowHandle,
  attributes: keyof proto.temporal.api.history.v1.IHistoryEvent,
) {
  const hasEvent = async () => (await handle.fetchHistory()).events?.some((event) => event[attributes]);
  await expectEventually(hasEvent).toBe(true);
}

/** Cancels a process, and waits until it has asked its activity to stop. */
export async function cancelActivityOf(handle: WorkflowHandle): Promise<void> {
  await handle.cancel();
  await untilEvent(handle, 'activityTaskCancelRequestedEventAttributes');
}
