const judgedBytes = 256 * 1024;
const fieldEdges = new Set([undefined, '\n', '\r', ',', ';', '\t', '|']);

/** The quote that encloses more values; double quotes unless more are in single quotes. */
export function detectQuote(bytes: Buffer, taken: readonly (string | undefined)[] = []): string | undefined {
  const text = bytes.toString('utf8', 0, judgedBytes);
  const quotes = ['"', "'"].filter((quote) => !taken.includes(quote));
  if (quotes.length < 2) return quotes[0];
  return enclosed(text, "'") > enclosed(text, '"') ? "'" : '"';
}

/** Number of quotes that open a value and are closed in the same line. */
function enclosed(text: string, quote: string): number {
  let count = 0;
  let open: number | undefined;
  for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + 1)) {
    if (open !== undefined && fieldEdges.has(text[at + 1])) {
      if (!text.slice(open, at).includes('\n')) count += 1;
      open = undefined;
    } else if (fieldEdges.has(text[at - 1])) open = at;
  }
  return count;
}
