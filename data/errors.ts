/**
 * Every stable code a problem document may carry, with its HTTP status and title.
 * The one table behind the error handler, the OpenAPI text and the /problems pages.
 */
export const problems = {
  invalid_request: [400, "The request isn't valid"],
  unsupported_media_type: [400, "The content type isn't supported"],
  unsupported_option: [400, "The option isn't supported"],
  source_failed: [400, 'The remote service failed'],
  invalid_scope: [400, "The client doesn't have a requested scope"],
  query_not_read_only: [400, 'Only one read-only SELECT is allowed'],
  query_failed: [400, 'The query failed'],
  query_timeout: [400, 'The query took too long'],
  query_too_large: [400, 'The query exceeds a limit'],
  version_expired: [400, 'The version has expired'],
  invalid_cadence: [400, "The cadence isn't supported"],
  invalid_grant: [400, "The grant isn't valid"],
  unsupported_grant_type: [400, "The grant type isn't supported"],
  body_too_large: [400, 'The request body is too large'],
  authorization_pending: [400, "The person hasn't decided yet"],
  slow_down: [400, 'The client polls too fast'],
  access_denied: [400, 'Access was denied'],
  expired_token: [400, 'The device code has expired'],
  unauthorized: [401, 'Authentication is required'],
  invalid_token: [401, "The access token isn't valid"],
  token_expired: [401, 'The access token has expired'],
  invalid_client: [401, "The client credentials aren't valid"],
  missing_scope: [403, "The token doesn't have a required scope"],
  admin_required: [403, 'An administrator is required'],
  organization_suspended: [403, 'The organization is suspended'],
  origin_refused: [403, 'Requests from other sites are refused'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, "The method isn't allowed here"],
  range_not_satisfiable: [416, 'The range is outside the content'],
  conflict: [409, 'The request conflicts with the current state'],
  revision_conflict: [409, 'The resource has changed in the meantime'],
  name_taken: [409, 'The name is already taken'],
  snapshot_not_enabled: [409, "Snapshots aren't enabled"],
  snapshot_active: [409, 'A snapshot is already running'],
  duplicate_row_id: [409, 'A row id already exists'],
  duplicate_row_key: [409, 'A key already exists'],
  page_content_mismatch: [409, 'The page was staged with different content'],
  generation_fenced: [409, 'The sync generation has changed'],
  batch_not_open: [409, "The batch isn't open"],
  manifest_incomplete: [409, "The manifest doesn't match the staged pages"],
  not_appendable: [409, "The table doesn't accept rows"],
  not_materialized: [409, "The table isn't materialized"],
  verification_failed: [409, 'New content failed a blocking test'],
  conversation_busy: [409, 'The conversation is busy'],
  limit_reached: [409, 'A limit was reached'],
  idempotency_in_flight: [409, 'A request with this idempotency key is still running'],
  rate_limited: [429, 'Too many requests'],
  queries_saturated: [429, 'Too many queries at once'],
  internal_error: [500, 'Internal error'],
  workflows_unavailable: [503, 'Workflows are temporarily unavailable'],
  storage_unavailable: [503, 'Storage is temporarily unavailable'],
  overloaded: [503, 'The service is overloaded'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof problems;

/** Codes of transient failures. */
const transientCodes: ReadonlySet<ErrorCode> = new Set([
  'rate_limited',
  'queries_saturated',
  'internal_error',
  'workflows_unavailable',
  'storage_unavailable',
  'overloaded',
]);

/**
 * Whether another attempt may succeed. Activities, use cases and every other retry use this single answer:
 * what a rule refused stays refused, any unexpected error may be transient.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof AppError) return transientCodes.has(error.code);
  return !(error instanceof ValidationError);
}

export interface AppErrorOptions {
  cause?: unknown;
  /** Extension members of the problem document, snake_case, for example `current_revision`. */
  extensions?: Record<string, unknown>;
  /** Seconds after which a retry makes sense; becomes `Retry-After`. */
  retryAfterSeconds?: number;
}

/**
 * An expected failure with a stable code. Its message is shown to the caller, so it must contain nothing
 * private.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly extensions: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.extensions = options.extensions ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** One fault of a request, in pydantic's format, which clients of this API already parse. */
export interface ValidationFault {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** A well-formed request with invalid content: answered with 422, listing every fault with its place. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError';
  readonly faults: readonly ValidationFault[];

  constructor(faults: readonly ValidationFault[]) {
    super(faults.map((fault) => `${fault.loc.join('.')}: ${fault.msg}`).join('; '));
    this.faults = faults;
  }
}

export function notFound(what: string): AppError {
  return new AppError('not_found', `${what} doesn't exist, or this token can't access it.`);
}
