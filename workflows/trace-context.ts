import type {
  ActivityInput,
  Next,
  WorkflowExecuteInput,
  WorkflowInboundCallsInterceptor,
  WorkflowInterceptors,
  WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { traceHeader } from './trace-header.ts';

/** Passes the request's trace from the workflow's start to each of its activities. */
class TraceContext implements WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor {
  #header: WorkflowExecuteInput['headers'][string] | undefined;

  execute(
    input: WorkflowExecuteInput,
    next: Next<WorkflowInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    this.#header = input.headers[traceHeader];
    return next(input);
  }

  scheduleActivity(
    input: ActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'scheduleActivity'>,
  ): Promise<unknown> {
    if (this.#header === undefined) return next(input);
    return next({ ...input, headers: { ...input.headers, [traceHeader]: this.#header } });
  }
}

export function interceptors(): WorkflowInterceptors {
  const trace = new TraceContext();
  return { inbound: [trace], outbound: [trace] };
}
