/** The environment of this process; the only place in the stack that reads it. */
export function hostEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}

/**
 * The environment of a native program: only what it needs, without inherited PG*, AWS_* or TEMPORAL_*
 * variables, which would change its behaviour.
 */
export function programEnvironment(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC', ...own };
}
