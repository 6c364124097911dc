import { connect } from 'node:net';
import { type Span, SpanKind } from '@opentelemetry/api';
import {
  type Client,
  type Connection,
  isGrpcServiceError,
  type WorkflowClientInterceptor,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowOptions,
  type WorkflowStartInput,
} from '@temporalio/client';
import {
  defaultPayloadConverter,
  defineSearchAttributeKey,
  type SearchAttributePair,
  TypedSearchAttributes,
} from '@temporalio/common';
import proto from '@temporalio/proto';
import type { ProcessStart } from '../postgres/process-starts.ts';
import { activeOr, inSpan, traceparentOf } from '../telemetry/spans.ts';

const closeEvent = proto.temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;

type Started = Pick<WorkflowStartInput, 'workflowType' | 'options' | 'headers'>;

/**
 * Passes the trace of the originating request, which is in the process's memo, in the header that activities
 * receive: the span of the start if it is traced, else what the request's caller sent.
 */
export function traceInterceptor(header: string): WorkflowClientInterceptor {
  const traced = <T extends Started, R>(input: T, next: (input: T) => Promise<R>): Promise<R> => {
    const { memo = {}, workflowId, priority } = input.options;
    const { requestId, traceparent } = memo;
    const attributes = {
      'temporal.workflow.type': input.workflowType,
      'temporal.workflow.id': workflowId,
      ...(typeof requestId === 'string' ? { 'workspace.request_id': requestId } : {}),
      ...(priority?.fairnessKey === undefined ? {} : { 'workspace.organization_id': priority.fairnessKey }),
    };
    const started = (span: Span) => {
      const passed = { requestId, traceparent: traceparentOf(span) ?? traceparent };
      const payload = defaultPayloadConverter.toPayload(passed);
      return next({ ...input, headers: { ...input.headers, [header]: payload } });
    };
    // Started again by the reconciler, it is still part of the request's trace.
    const settings = { kind: SpanKind.PRODUCER, attributes, parent: activeOr(traceparent) };
    return inSpan(`StartWorkflow ${input.workflowType}`, settings, started);
  };
  return { start: traced, signalWithStart: traced };
}

/** `refused` is certain: nothing was started. `unknown` is not: the request may have arrived. */
export type StartOutcome = 'started' | 'refused' | 'unknown';

/** How long a request waits for the server before the client is asked to try again. */
const defaultDeadlineMs = 2_000;
const lookDeadlineMs = 10_000;
/** gRPC codes of definite refusals. */
const certainCodes = new Set([3, 5, 7, 8, 12, 16]);

export interface Reach {
  /** Behind DNS names, proxies and balancers: an open port says nothing about the service. */
  isRemote?: boolean;
  /** Default: two seconds. */
  deadlineMs?: number | undefined;
}

/**
 * Starts the process, or finds that it was already started; gives up at the deadline. `again` also starts one
 * that ran before and has ended.
 */
export async function startProcess(
  client: Client,
  request: ProcessStart,
  { again = false, isRemote = false, deadlineMs = defaultDeadlineMs }: Reach & { again?: boolean } = {},
): Promise<{ outcome: StartOutcome; cause?: unknown }> {
  if (!isRemote && !(await canConnect(client, deadlineMs))) {
    return { outcome: 'refused', cause: new Error("The workflows service doesn't accept connections.") };
  }
  try {
    await client.withDeadline(Date.now() + deadlineMs, () =>
      client.workflow.start(request.workflowType, {
        ...optionsOf(request),
        workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
      }),
    );
    return { outcome: 'started' };
  } catch (cause) {
    if (cause instanceof WorkflowExecutionAlreadyStartedError) return { outcome: 'started' };
    return { outcome: isCertain(cause) ? 'refused' : 'unknown', cause };
  }
}

function optionsOf(request: ProcessStart) {
  const pairs = Object.entries(request.searchAttributes).map(
    ([name, value]) => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value }) as SearchAttributePair,
  );
  return {
    workflowId: request.workflowId,
    taskQueue: request.taskQueue,
    args: [request.argument],
    typedSearchAttributes: new TypedSearchAttributes(pairs),
    memo: request.memo,
    staticSummary: request.summary,
    // Its activities inherit the fairness key: waiting tasks are dispatched to workers organization by
    // organization.
    priority: {
      fairnessKey: request.searchAttributes['OrganizationId'],
      ...(request.priority === undefined ? {} : { priorityKey: request.priority }),
    },
  } satisfies WorkflowOptions & { args: unknown[] };
}

/** A signal with its arguments. */
export interface ProcessSignal {
  name: string;
  args: unknown[];
}

/** Signals a process, starting it first if it is not running; gives up at the deadline. */
export async function wakeProcess(
  client: Client,
  request: ProcessStart,
  signal: ProcessSignal,
  { isRemote = false, deadlineMs = defaultDeadlineMs }: Reach = {},
): Promise<{ outcome: StartOutcome; cause?: unknown }> {
  if (!isRemote && !(await canConnect(client, deadlineMs))) {
    return { outcome: 'refused', cause: new Error("The workflows service doesn't accept connections.") };
  }
  try {
    await client.withDeadline(Date.now() + deadlineMs, () =>
      client.workflow.signalWithStart(request.workflowType, {
        ...optionsOf(request),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        signal: signal.name,
        signalArgs: signal.args,
      }),
    );
    return { outcome: 'started' };
  } catch (cause) {
    return { outcome: isCertain(cause) ? 'refused' : 'unknown', cause };
  }
}

/**
 * Whether the server accepts connections. The client itself retries until its deadline, after which a refused
 * connection and a lost answer look alike; if no server is listening, nothing can have started.
 */
function canConnect(client: Client, deadlineMs: number): Promise<boolean> {
  const { address } = (client.connection as Connection).options;
  const colon = address.lastIndexOf(':');
  return new Promise((resolve) => {
    const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
    const finish = (connected: boolean) => {
      socket.destroy();
      resolve(connected);
    };
    socket.setTimeout(deadlineMs, () => finish(true));
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

function isCertain(error: unknown): boolean {
  const grpc = isGrpcServiceError(error) ? error : (error as { cause?: unknown }).cause;
  if (!isGrpcServiceError(grpc)) return false;
  if (certainCodes.has(grpc.code)) return true;
  return (
    grpc.code === 14 &&
    /ECONNREFUSED|No connection established|ENOTFOUND/.test(`${grpc.message} ${grpc.details}`)
  );
}

export type DeliveryOutcome = 'delivered' | 'gone' | 'unknown';

export function signalProcess(
  client: Client,
  workflowId: string,
  signal: string,
  args: readonly unknown[],
  reach?: Reach,
): Promise<DeliveryOutcome> {
  return deliver(client, reach, () => client.workflow.getHandle(workflowId).signal(signal, ...args));
}

export function cancelProcess(client: Client, workflowId: string, reach?: Reach): Promise<DeliveryOutcome> {
  return deliver(client, reach, () => client.workflow.getHandle(workflowId).cancel());
}

async function deliver(
  client: Client,
  { deadlineMs = defaultDeadlineMs }: Reach = {},
  send: () => Promise<unknown>,
): Promise<DeliveryOutcome> {
  try {
    await client.withDeadline(Date.now() + deadlineMs, send);
    return 'delivered';
  } catch (error) {
    return error instanceof WorkflowNotFoundError ? 'gone' : 'unknown';
  }
}

/**
 * `terminated`: it was forcibly terminated from outside. `exhausted`: the server terminated it because its
 * history grew beyond a limit. `ended`: it ended on its own. `gone`: the server no longer knows it.
 */
export type ProcessState = 'running' | 'terminated' | 'exhausted' | 'ended' | 'gone';

export async function stateOfProcess(client: Client, workflowId: string): Promise<ProcessState> {
  try {
    return await client.withDeadline(Date.now() + lookDeadlineMs, async () => {
      const { status, runId } = await client.workflow.getHandle(workflowId).describe();
      if (status.name === 'RUNNING') return 'running';
      if (status.name !== 'TERMINATED') return 'ended';
      return (await wasExhausted(client, { workflowId, runId })) ? 'exhausted' : 'terminated';
    });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'gone';
    throw error;
  }
}

/**
 * The server's identity on processes it terminates itself, for too many events, too many bytes, or too many
 * pending operations.
 */
const ownIdentity = 'history-service';
const ownReason = /exceeds limit/;

async function wasExhausted(
  client: Client,
  execution: { workflowId: string; runId: string },
): Promise<boolean> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution,
    historyEventFilterType: closeEvent,
  });
  const closed = history?.events?.at(-1)?.workflowExecutionTerminatedEventAttributes;
  return closed?.identity === ownIdentity && ownReason.test(closed.reason ?? '');
}
