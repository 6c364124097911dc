import { version, WorkspaceError } from '../../typescript/src/index.ts';

/** So long a failure waits to be explained. */
const timeoutMs = 5_000;

/** The version of the service, if it tells one that is not that of this command line. */
export async function otherVersion(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(timeoutMs) });
    const document = (await answer.json()) as { info?: { version?: unknown } } | null;
    const served = document?.info?.version;
    return typeof served === 'string' && served !== version ? served : undefined;
  } catch {
    return undefined;
  }
}

/** A service says so of routes and fields that it does not have. */
export const mayBeOfVersion = (error: unknown): boolean =>
  error instanceof WorkspaceError &&
  ['validation_error', 'not_found', 'method_not_allowed', 'http_error'].includes(error.code);

export const versionText = (served: string): string =>
  `The service has version ${served}, and this command line has ${version}. If something doesn't work, update the older one.`;
