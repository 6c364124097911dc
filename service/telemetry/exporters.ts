import { AggregationTemporality, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TelemetryConfig } from './config.ts';

/** Sends spans to the collector; loaded only where there is one. */
export async function spanExporter({ protocol }: TelemetryConfig): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

export async function metricExporter({ protocol }: TelemetryConfig): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto');
  // As Prometheus reads them, because it reads the same ones.
  return new OTLPMetricExporter({ temporalityPreference: AggregationTemporality.CUMULATIVE });
}

/** What OTEL_TRACES_SAMPLER names. */
export function samplerOf({ sampler, samplerRatio }: TelemetryConfig): Sampler {
  const name = sampler.replace(/^parentbased_/, '');
  const root =
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(samplerRatio);
  return name === sampler ? root : new ParentBasedSampler({ root });
}
