import { type Attributes, type Meter, type MeterProvider, metrics } from '@opentelemetry/api';

/** The scope of all instruments and spans. */
export const scopeName = 'analytics-workspace';

export interface Instrument {
  name: string;
  unit: string;
  description: string;
  type: 'counter' | 'histogram' | 'gauge';
}

const known = new Map<string, Instrument>();

/** The instruments of all modules that are loaded, for the tests of pages, dashboards and alert rules. */
export const instruments = (): readonly Instrument[] => [...known.values()];

/** Seconds, from a single-row read to what people stop waiting for. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds of work that nobody waits for at a screen. */
export const longSeconds = [0.05, 0.25, 1, 5, 15, 60, 300, 900, 3_600];
export const counts = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 10_000];

/**
 * Instruments are made at their first use, and again for another provider: one that is made before telemetry
 * starts would never measure anything.
 */
export function lazily<T>(make: (meter: Meter) => T): () => T {
  let madeBy: MeterProvider | undefined;
  let made: T | undefined;
  return () => {
    const provider = metrics.getMeterProvider();
    if (made === undefined || provider !== madeBy) {
      made = make(provider.getMeter(scopeName));
      madeBy = provider;
    }
    return made;
  };
}

export function declared(
  name: string,
  type: Instrument['type'],
  unit: string,
  description: string,
): Instrument {
  const instrument = { name, unit, description, type };
  known.set(name, instrument);
  return instrument;
}

export function counter(name: string, unit: string, description: string) {
  declared(name, 'counter', unit, description);
  const made = lazily((meter) => meter.createCounter(name, { unit, description }));
  return { add: (value: number, attributes: Attributes) => made().add(value, attributes) };
}

export function histogram(name: string, unit: string, description: string, boundaries = seconds) {
  declared(name, 'histogram', unit, description);
  const advice = { explicitBucketBoundaries: [...boundaries] };
  const made = lazily((meter) => meter.createHistogram(name, { unit, description, advice }));
  return { record: (value: number, attributes: Attributes) => made().record(value, attributes) };
}

/** A value that is known when it changes; what must be asked for is observed in service/telemetry. */
export function gauge(name: string, unit: string, description: string) {
  declared(name, 'gauge', unit, description);
  const made = lazily((meter) => meter.createGauge(name, { unit, description }));
  return { record: (value: number, attributes: Attributes) => made().record(value, attributes) };
}
