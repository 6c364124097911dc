import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
  linkedTraces: string[];
}

export interface Collector {
  url: string;
  /** Everything that was sent, as text. */
  sent(): string;
  spans(): CollectedSpan[];
  metricNames(): Set<string>;
  close(): Promise<void>;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

const plain = ({ arrayValue, ...only }: Record<string, unknown>): unknown =>
  arrayValue === undefined
    ? Object.values(only)[0]
    : ((arrayValue as { values?: Record<string, unknown>[] }).values ?? []).map(plain);

const attributesOf = (attributes: readonly Attribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));

/** A collector on loopback that takes OTLP in JSON. */
export async function startCollector(): Promise<Collector> {
  const bodies: { path: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    bodies.push({ path: request.url ?? '', body: await text(request) });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const of = (path: string) =>
    bodies.filter((sent) => sent.path === path).map(({ body }) => JSON.parse(body));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => bodies.map(({ body }) => body).join('\n'),
    spans: () =>
      of('/v1/traces').flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource, scopeSpans }: never) => {
          const { 'service.name': service } = attributesOf(
            (resource as { attributes: Attribute[] }).attributes,
          );
          return (scopeSpans as { spans: never[] }[]).flatMap(({ spans }) =>
            spans.map(({ name, traceId, spanId, parentSpanId, attributes, links }) => ({
              service,
              name,
              traceId,
              spanId,
              parentSpanId: parentSpanId || undefined,
              attributes: attributesOf(attributes),
              linkedTraces: ((links ?? []) as { traceId: string }[]).map((link) => link.traceId),
            })),
          );
        }),
      ),
    metricNames: () =>
      new Set(
        of('/v1/metrics').flatMap(({ resourceMetrics }) =>
          resourceMetrics.flatMap(({ scopeMetrics }: { scopeMetrics: { metrics: { name: string }[] }[] }) =>
            scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name)),
          ),
        ),
      ),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
