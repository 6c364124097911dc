/** Maximum wait for a model; after that a person would rather ask again. */
const longestWaitMs = 60_000;

/** The wait requested by a provider in its response headers. */
export function retryAfterMs(error: unknown): number | undefined {
  const given: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'responseHeaders') : undefined;
  if (typeof given !== 'object' || given === null) return undefined;
  const headers = new Map(
    Object.entries(given).map(([name, value]) => [name.toLowerCase(), String(value).trim()]),
  );
  const milliseconds = numberOf(headers.get('retry-after-ms'));
  if (milliseconds !== undefined) return bounded(milliseconds);
  const after = headers.get('retry-after');
  const seconds = numberOf(after);
  if (seconds !== undefined) return bounded(seconds * 1_000);
  // An HTTP date begins with the name of its weekday.
  const date = after !== undefined && /^[A-Za-z]{3}/.test(after) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : bounded(date - Date.now());
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}

function bounded(waitMs: number): number {
  return Math.min(Math.max(Math.ceil(waitMs), 0), longestWaitMs);
}
