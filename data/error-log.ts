/**
 * An error as a log line may hold it: kind, code and where, of it and its causes. Engines and PostgreSQL put
 * values of rows into their messages, so only messages of our own errors are kept.
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
    // Those of the libraries of language models begin with what a provider said.
    message: isOurs ? error.message : error.name.startsWith('AI_') ? '' : firstWords(error.message),
    stack: frames?.join('\n'),
    cause: errorForLog(error.cause, depth + 1),
  };
}

/** What kind of failure it is, up to the first quoted or numeric value. */
function firstWords(message: string): string {
  return (/^[^"'`(\d\n]{0,120}/.exec(message)?.[0] ?? '').trim();
}
