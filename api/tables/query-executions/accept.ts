import type { StreamFormat } from '../../../packages/row-formats/index.ts';

/** The media types in which an answer is streamed. */
export const streamTypes = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
} as const satisfies Record<StreamFormat, string>;

const formats = new Map<string, StreamFormat | 'json'>([
  ['application/json', 'json'],
  ...Object.entries(streamTypes).map(([format, type]) => [type, format as StreamFormat] as const),
]);

/**
 * The format that an `Accept` header names: of several the one with the greatest weight, of equal ones the
 * first. JSON where it names none.
 */
export function formatAccepted(accept: string | undefined): StreamFormat | 'json' {
  let best: { format: StreamFormat | 'json'; weight: number } = { format: 'json', weight: 0 };
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const format = formats.get(type);
    const weight = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1);
    if (format !== undefined && weight > best.weight) best = { format, weight };
  }
  return best.format;
}
