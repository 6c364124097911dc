import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { scopeName } from './instruments.ts';

/** Does nothing until there is a provider; then it finds it by itself. */
export const tracer = trace.getTracer(scopeName);

export interface SpanSettings {
  attributes?: Attributes;
  kind?: SpanKind;
  links?: Link[];
  /** Default: the active one. */
  parent?: Context;
}

/**
 * Runs `work` within a span. What fails is marked by its code or kind: a message may quote somebody's values.
 */
export async function inSpan<T>(
  name: string,
  { attributes = {}, kind = SpanKind.INTERNAL, links = [], parent = context.active() }: SpanSettings,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.startSpan(name, { attributes, kind, links }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span));
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', kindOfError(error));
    throw error;
  } finally {
    span.end();
  }
}

/** The code of an error of ours or of a failed activity, else the name of its class. */
export function kindOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, type } = error as { code?: unknown; type?: unknown };
  for (const word of [code, type]) if (typeof word === 'string' && /^\w{1,64}$/.test(word)) return word;
  return error.name;
}

const form = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** What a W3C traceparent names, if it is valid. */
export function spanContextOf(traceparent: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof traceparent === 'string' && form.exec(traceparent)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(found) ? found : undefined;
}

/** The active context, or one with the span of a traceparent where none is active. */
export function activeOr(traceparent: unknown): Context {
  const active = context.active();
  const from = trace.getSpan(active) === undefined ? spanContextOf(traceparent) : undefined;
  return from === undefined ? active : trace.setSpanContext(ROOT_CONTEXT, from);
}

/** The id of a span's trace, for log lines; undefined where nothing is traced. */
export function traceIdOf(span: Span | undefined): string | undefined {
  const own = span?.spanContext();
  return own !== undefined && isSpanContextValid(own) ? own.traceId : undefined;
}

/** The traceparent of a span; undefined where nothing is traced. */
export function traceparentOf(span: Span | undefined): string | undefined {
  const own = span?.spanContext();
  if (own === undefined || !isSpanContextValid(own)) return undefined;
  return `00-${own.traceId}-${own.spanId}-0${own.traceFlags & 1}`;
}
