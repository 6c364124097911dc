import type { ErrorCode } from '../../../../data/errors.ts';

/** Why a statement may not run or did not finish. Its message is shown to the client. */
export class QueryRefusal extends Error {
  override readonly name = 'QueryRefusal';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * One message for names that are unknown, belong to another organization or are not allowed, so that an
 * answer never reveals which.
 */
export function unavailable(name: string): QueryRefusal {
  const shown = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  return new QueryRefusal('query_failed', `"${shown}" does not exist, or may not be used in a query.`);
}

export function uninspectable(what: string): QueryRefusal {
  return new QueryRefusal('query_failed', `${what} cannot be checked, so the statement was not run.`);
}
