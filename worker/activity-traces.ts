import { SpanKind } from '@opentelemetry/api';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { activeOr, inSpan } from '../data/telemetry/spans.ts';
import { traceHeader } from '../workflows/trace-header.ts';

interface Trace {
  requestId?: string;
  traceparent?: string;
}

/**
 * Traces each attempt of an activity within the trace of the process's start, which workflows pass on in a
 * header of ours. Workflows themselves are not traced, so nothing of this is part of their code or histories.
 */
export const activityTraces: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const payload = input.headers[traceHeader];
      const { requestId, traceparent } =
        payload === undefined ? {} : defaultPayloadConverter.fromPayload<Trace>(payload);
      const { activityType, taskQueue, attempt, workflowType, workflowExecution } = info;
      const organizationId = organizationOf(input.args[0]);
      return inSpan(
        `RunActivity ${activityType}`,
        {
          kind: SpanKind.CONSUMER,
          parent: activeOr(traceparent),
          attributes: {
            'temporal.activity.type': activityType,
            'temporal.workflow.type': workflowType ?? '',
            'temporal.workflow.id': workflowExecution?.workflowId ?? '',
            'temporal.task_queue': taskQueue,
            'temporal.activity.attempt': attempt,
            ...(requestId === undefined ? {} : { 'workspace.request_id': requestId }),
            ...(organizationId === undefined ? {} : { 'workspace.organization_id': organizationId }),
          },
        },
        () => next(input),
      );
    },
  },
});

/** Every activity that works for an organization is given it first. */
function organizationOf(argument: unknown): string | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  const { organizationId } = argument as { organizationId?: unknown };
  return typeof organizationId === 'string' ? organizationId : undefined;
}
