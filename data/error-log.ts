/**
 * The loggable part of an error and its causes: kind, code and location. Engine and PostgreSQL messages may
 * contain row values, so only messages of our own errors are logged.
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
    message: isOurs ? error.message : error.name.startsWith('AI_') ? '' : firstWords(error.message),
    stack: frames?.join('\n'),
    cause: errorForLog(error.cause, depth + 1),
  };
}

/** The start of the message, up to the first quoted or numeric value. */
function firstWords(message: string): string {
  return (/^[^"'`(\d\n]{0,120}/.exec(message)?.[0] ?? '').trim();
}
