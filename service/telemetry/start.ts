import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { release } from '../../data/release.ts';
import type { TelemetryConfig } from './config.ts';
import { logDiagnostics } from './diagnostics.ts';
import { metricExporter, samplerOf, spanExporter } from './exporters.ts';
import { ScrapeReader, scrapedText } from './scrape.ts';

export interface Telemetry {
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
  /** Sends what is left; takes three seconds at most. */
  stop(): Promise<void>;
}

interface TelemetryOptions {
  service: 'api' | 'worker';
  /** Whether anybody may ask for the metrics. */
  isScraped: boolean;
  logger: Pick<Logger, 'warn'>;
}

const stopTimeoutMs = 3_000;
/** A collector that takes longer loses what it was sent; nobody waits for it. */
const exportTimeoutMs = 10_000;

/**
 * Measures from now on if somebody wants the metrics, and traces if there is a collector to send traces to.
 * Otherwise, and in commands that never call it, spans and instruments do nothing.
 */
export async function startTelemetry(
  config: TelemetryConfig,
  { service, isScraped, logger }: TelemetryOptions,
): Promise<Telemetry> {
  logDiagnostics(logger);
  const resource = resourceFromAttributes({
    'service.name': `analytics-workspace-${service}`,
    'service.version': release,
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
  // One reader for both: each would keep and count everything for itself.
  const reader = config.sendsMetrics ? await sendingReader(config) : new ScrapeReader();
  const meters = new MeterProvider({ resource, readers: [reader] });
  if (isScraped || config.sendsMetrics) metrics.setGlobalMeterProvider(meters);
  const tracers = config.sendsTraces ? await startTraces(config, resource) : undefined;
  return {
    text: () => scrapedText(reader),
    async stop() {
      const flushed = Promise.allSettled([tracers?.shutdown(), meters.shutdown()]);
      await Promise.race([flushed, wait(stopTimeoutMs, undefined, { ref: false })]);
      context.disable();
      trace.disable();
      metrics.disable();
    },
  };
}

async function sendingReader(config: TelemetryConfig): Promise<PeriodicExportingMetricReader> {
  return new PeriodicExportingMetricReader({
    exporter: await metricExporter(config),
    exportIntervalMillis: config.metricIntervalMs,
    exportTimeoutMillis: Math.min(exportTimeoutMs, config.metricIntervalMs),
  });
}

async function startTraces(
  config: TelemetryConfig,
  resource: ReturnType<typeof resourceFromAttributes>,
): Promise<TracerProvider> {
  const exporter = await spanExporter(config);
  const tracers = new TracerProvider({
    resource,
    sampler: samplerOf(config),
    spanLimits: { attributeValueLengthLimit: 512 },
    spanProcessors: [
      new BatchSpanProcessor({ exporter, exportTimeoutMillis: exportTimeoutMs, scheduledDelayMillis: 2_000 }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(tracers);
  return tracers;
}
