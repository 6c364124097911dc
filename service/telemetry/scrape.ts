import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { type MetricData, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics';

export const scrapeType = 'text/plain; version=0.0.4; charset=utf-8';

const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);

/** Where nothing is sent to a collector. */
export class ScrapeReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Reads all metrics as the text that Prometheus asks for. */
export async function scrapedText(reader: MetricReader): Promise<string> {
  const { resourceMetrics } = await reader.collect({ timeoutMillis: 5_000 });
  return serializer.serialize(withUnits(resourceMetrics));
}

const words: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes', '1': 'ratio' };

/** The name that Prometheus knows a metric by, without `_total`, `_bucket`, `_sum` or `_count`. */
export function scrapedName(name: string, unit: string): string {
  const word = words[unit];
  return word === undefined || name.endsWith(word) ? name : `${name}_${word}`;
}

/**
 * Appends units to names, as every collector does on its way to Prometheus: dashboards and rules then suit
 * both ways.
 */
function withUnits({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics {
  const named = <Metric extends MetricData>(metric: Metric): Metric => {
    const { descriptor } = metric;
    const name = scrapedName(descriptor.name, descriptor.unit);
    return { ...metric, descriptor: { ...descriptor, name, unit: '' } };
  };
  return {
    resource,
    scopeMetrics: scopeMetrics.map(({ scope, metrics }) => ({ scope, metrics: metrics.map(named) })),
  };
}
