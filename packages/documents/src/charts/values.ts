/** How a column's values are measured, in Vega-Lite's terms. */
export type Measure = 'quantitative' | 'temporal' | 'nominal';

const maxTextLength = 200;
const numbers = /^(?:U?INTEGER|U?BIGINT|U?HUGEINT|BIGNUM|DOUBLE|FLOAT|DECIMAL(?:\(\d{1,2},\d{1,2}\))?)$/;
const times = /^(?:DATE|TIMESTAMP(?:TZ|_S|_MS|_NS)?)$/;

export function measureOf(dataType: string): Measure {
  if (numbers.test(dataType)) return 'quantitative';
  return times.test(dataType) ? 'temporal' : 'nominal';
}

/** A number that a double cannot hold, as `JSON.rawJSON` keeps it. */
const isRawNumber = (value: unknown): value is { rawJSON: string } =>
  (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);

/** A number for the drawing, which uses doubles; null if there is none or it is infinite. */
export function numberOf(value: unknown): number | null {
  const literal = isRawNumber(value) ? value.rawJSON : value;
  if (typeof literal !== 'number' && (typeof literal !== 'string' || literal.trim() === '')) return null;
  const number = Number(literal);
  return Number.isFinite(number) ? number : null;
}

const zone = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/;

/** Milliseconds since 1970; a time without a zone is UTC. */
export function millisecondsOf(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const hasTime = value.includes(':');
  const milliseconds = Date.parse(hasTime && !zone.test(value) ? `${value}Z` : value);
  return Number.isFinite(milliseconds) ? milliseconds : null;
}

/**
 * Text that is valid in XML: without control characters and lone surrogates, and no longer than a chart can
 * show. The renderer looks up texts in plain objects, so a name that every object has gets an invisible
 * suffix.
 */
export function plainText(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
  const readable = text
    .slice(0, 4 * maxTextLength)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\ufffe\uffff]+/gu, ' ');
  const characters = [...readable];
  const short =
    characters.length > maxTextLength ? `${characters.slice(0, maxTextLength - 1).join('')}…` : readable;
  return short in {} ? `${short} ` : short;
}

/** Assigns labels to values; different values get different labels, however long their common prefix is. */
export function createLabels(): (value: unknown) => string {
  const labels = new Map<string, string>();
  const taken = new Set<string>();
  /**
   * The next number for each text: thousands of values may share a prefix, and counting must not restart at
   * 2.
   */
  const numbers = new Map<string, number>();
  return (value) => {
    const key = typeof value === 'string' ? `"${value}` : (JSON.stringify(value) ?? 'null');
    const known = labels.get(key);
    if (known !== undefined) return known;
    const text = plainText(value);
    let n = numbers.get(text) ?? 1;
    const numbered = () => (n === 1 ? text : `${text} (${n})`);
    while (taken.has(numbered())) n += 1;
    const label = numbered();
    numbers.set(text, n + 1);
    labels.set(key, label);
    taken.add(label);
    return label;
  };
}
