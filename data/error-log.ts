/**
 * The loggable part of an error and its causes: kind, code, location, and what it says without the values of
 * anybody's rows.
 */
export function errorForLog(error: unknown, depth = 0): Record<string, unknown> | undefined {
  if (!(error instanceof Error) || depth > 3) return undefined;
  const { code } = error as { code?: unknown };
  const isOurs = error.name === 'AppError' || error.name === 'ValidationError';
  const frames = error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 12);
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    // Messages of the language-model libraries begin with text from the provider.
    message: isOurs ? error.message : error.name.startsWith('AI_') ? '' : withoutValues(error.message, code),
    stack: frames?.join('\n'),
    cause: errorForLog(error.cause, depth + 1),
  };
}

const longest = 500;
/** What a quoted text after one of these words is the name of. */
const named =
  /\b(?:key|id|role|user|database|relation|table|view|column|schema|index|constraint|policy|function|type|extension|host|server|bucket|queue|namespace|parameter|setting)s? $/i;
/** A quoted text, or one that is never closed. */
const quoted = /"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|["'`][^"'`]*$/g;
/** Errors of PostgreSQL about data, and errors of the engine about a statement and its values. */
const aboutData = /^2[23]/;
const ofEngine =
  /^(?:Binder|Conversion|Parser|Syntax|Invalid Input|Out of Range|Mismatch Type|Type|Divide by Zero|Constraint|Invalid Type|Serialization|Catalog|Not implemented) Error: /i;

/**
 * A message of PostgreSQL, of the engine or of a library for the log. Its first lines, in which names of
 * keys, roles, relations and hosts stay: an operator needs them. Other quoted texts go, as do the numbers of
 * an error about data, and statements that a message quotes.
 */
export function withoutValues(message: string, code?: unknown): string {
  const [firstPart = ''] = message.slice(0, 4_000).split(/\n\s*\n|\n\s*LINE \d|\nStack Trace|\n\s*at /);
  const isAboutData = ofEngine.test(firstPart) || (typeof code === 'string' && aboutData.test(code));
  let shown = firstPart.replaceAll(quoted, (found, at: number) => {
    const isName = !ofEngine.test(firstPart) && named.test(firstPart.slice(Math.max(0, at - 40), at));
    const isClosed = found.length > 1 && found.endsWith(found[0]!);
    if (!isClosed) return '…';
    return isName ? found : `${found[0]}…${found[0]}`;
  });
  // PostgreSQL's `Key (a, b)=(1, x)` and `Failing row contains (…)`.
  shown = shown.replaceAll(/(=|contains )\([^\n]*/g, '$1(…)');
  if (isAboutData) shown = shown.replaceAll(/\b\d[\w.,:+-]*/g, '…');
  return shown.length > longest ? `${shown.slice(0, longest)}…` : shown.trim();
}
