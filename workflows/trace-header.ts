/**
 * The Temporal header that carries a request's trace: its request id and, if it had one, its W3C traceparent.
 */
export const traceHeader = 'workspace-trace';
