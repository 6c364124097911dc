import { ConnectionError, WorkspaceError } from '../../typescript/src/index.ts';

/** What a shell is told. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, unreachable: 3, login: 4, interrupted: 130 } as const;

/** Something that the person can put right: its message says how. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

const loginCodes = new Set([
  'unauthorized',
  'invalid_token',
  'token_expired',
  'invalid_grant',
  'invalid_client',
]);

/** What to print of an error, and how to exit. */
export function explained(error: unknown): { message: string; exitCode: number; details?: object } {
  if (error instanceof Failure) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof ConnectionError)
    return {
      message: `${error.message} Check the address: workspace status`,
      exitCode: exitCodes.unreachable,
    };
  if (error instanceof WorkspaceError) {
    const { code, requestId, faults, message, status } = error;
    const details = { code, status, requestId, ...(faults.length === 0 ? {} : { faults }) };
    if (loginCodes.has(code))
      return { message: `${message}\nLog in again: workspace login`, exitCode: exitCodes.login, details };
    const missing =
      code === 'missing_scope'
        ? '\nLog in with more scopes: workspace login --scope "agent:read agent:write tables:append"'
        : '';
    return { message: `${message}${missing}`, exitCode: exitCodes.failed, details };
  }
  if (error instanceof Error && error.name === 'AbortError')
    return { message: 'Stopped.', exitCode: exitCodes.interrupted };
  return { message: error instanceof Error ? error.message : String(error), exitCode: exitCodes.failed };
}
