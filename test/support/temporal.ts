import type { Connection, WorkflowHandle } from '@temporalio/client';
import { IllegalStateError } from '@temporalio/common';
import proto from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { searchAttributeNames } from '../../workflows/task-queues.ts';
import { expectEventually } from './eventually.ts';

/**
 * Test workers log only errors: what they report is asserted, not read. A runtime lives until the last of its
 * connections is closed, and files of one process run one after the other, so the next one may still use it.
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

/** A Temporal server whose clock jumps to whatever is waited for, with the attributes that processes set. */
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

/** Waits until the process has an event with these attributes: `timerStartedEventAttributes`. */
export async function untilEvent(
  handle: WorkflowHandle,
  attributes: keyof proto.temporal.api.history.v1.IHistoryEvent,
) {
  const hasEvent = async () => (await handle.fetchHistory()).events?.some((event) => event[attributes]);
  await expectEventually(hasEvent).toBe(true);
}

/** Cancels a process, and waits until it has requested the cancellation of its activity. */
export async function cancelActivityOf(handle: WorkflowHandle): Promise<void> {
  await handle.cancel();
  await untilEvent(handle, 'activityTaskCancelRequestedEventAttributes');
}
