import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { histogram } from '../../data/telemetry/instruments.ts';
import { activeOr, spanContextOf, tracer } from '../../data/telemetry/spans.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's span, and the context of everything that is done for it. */
    traced: { span: Span; context: Context } | undefined;
  }
}

const durations = histogram(
  'http.server.request.duration',
  's',
  'Time from a request to its response, by method, route and status.',
);

/** Asked every few seconds by whatever watches the service. */
const untraced = new Set(['/healthz', '/readyz']);

/**
 * Measures every request by its route, and traces it: never by its path, which holds ids, nor by anything of
 * its body or query.
 */
export function telemetry(app: FastifyInstance): void {
  app.decorateRequest('traced', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    if (untraced.has(request.routeOptions.url ?? '')) return done();
    request.traced = begin(request);
    context.with(request.traced.context, done);
  });
  // The events of a body belong to the connection, not to what began to read it.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.traced === undefined) return done();
    context.with(request.traced.context, done);
  });
  app.addHook('onResponse', (request, { statusCode, elapsedTime }, done) => {
    const attributes: Attributes = {
      'http.request.method': request.method,
      'http.response.status_code': statusCode,
    };
    const route = request.routeOptions.url;
    if (route !== undefined) attributes['http.route'] = route;
    durations.record(elapsedTime / 1_000, attributes);
    if (request.traced !== undefined) end(request, request.traced.span, attributes);
    done();
  });
}

function end({ id, caller }: FastifyRequest, span: Span, attributes: Attributes): void {
  if (!span.isRecording()) return;
  span.setAttributes(attributes);
  span.setAttribute('workspace.request_id', id);
  if (caller !== undefined) span.setAttribute('workspace.organization_id', caller.organizationId);
  if (Number(attributes['http.response.status_code']) >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function begin(request: FastifyRequest): NonNullable<FastifyRequest['traced']> {
  const { method } = request;
  const route = request.routeOptions.url;
  const { traceparent } = request.headers;
  // Whoever is a parent decides what is traced. A trusted proxy may, and names its client; what anybody else
  // sends is only linked.
  const isTrusted = (request.ips?.length ?? 0) > 1;
  const parent = activeOr(isTrusted ? traceparent : undefined);
  const named = isTrusted ? undefined : spanContextOf(traceparent);
  const span = tracer.startSpan(
    route === undefined ? method : `${method} ${route}`,
    {
      kind: SpanKind.SERVER,
      links: named === undefined ? [] : [{ context: named }],
    },
    parent,
  );
  return { span, context: trace.setSpan(parent, span) };
}
