/** The environment this process was started with: the stack's one place that reads it. */
export function hostEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}

/**
 * What a native program is given: enough to run, and none of the PG*, AWS_* or TEMPORAL_* variables of
 * whoever started it, which would change what it does.
 */
export function programEnvironment(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC', ...own };
}
