/** `query_failed`: the statement has a fault; `query_not_read_only`: it is not one SELECT. */
export type RefusalCode = 'query_failed' | 'query_not_read_only';

/** Why a statement may not run. Its message may be shown to whoever wrote it. */
export class SqlRefusal extends Error {
  override readonly name = 'SqlRefusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * One message for names that are unknown, belong to another organization or are not allowed, so that an
 * answer never reveals which.
 */
export function unavailable(name: string): SqlRefusal {
  const shown = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  return new SqlRefusal('query_failed', `"${shown}" doesn't exist, or isn't allowed in a query.`);
}

export function uninspectable(what: string): SqlRefusal {
  return new SqlRefusal('query_failed', `${what} cannot be checked, so the statement wasn't run.`);
}
