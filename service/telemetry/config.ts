import { z } from 'zod';

const url = z.url({ protocol: /^https?$/, error: 'It must be a URL such as http://collector:4318.' });

/**
 * The standard variables of OpenTelemetry that this service reads itself. The exporters read those of their
 * own: headers, compression, timeouts, certificates.
 */
export const telemetryEnvironment = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json'], "It must be http/protobuf or http/json. gRPC isn't supported.")
    .default('http/protobuf'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce.number().int().min(1_000).default(60_000),
});

export type TelemetryConfig = ReturnType<typeof telemetryConfig>;

export function telemetryConfig(e: z.infer<typeof telemetryEnvironment>) {
  const all = e.OTEL_EXPORTER_OTLP_ENDPOINT;
  return {
    sendsTraces: (e.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? all) !== undefined,
    sendsMetrics: (e.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? all) !== undefined,
    protocol: e.OTEL_EXPORTER_OTLP_PROTOCOL,
    sampler: e.OTEL_TRACES_SAMPLER,
    samplerRatio: e.OTEL_TRACES_SAMPLER_ARG,
    metricIntervalMs: e.OTEL_METRIC_EXPORT_INTERVAL,
  };
}
