import type { ErrorCode } from '../../data/errors.ts';

/** Advice to callers for each problem; the text of its page. */
export const problemPages: Record<ErrorCode, string> = {
  invalid_request: 'Read the detail, correct the request and send it again.',
  unsupported_media_type:
    'Send the content type the route documents: application/json, or a form on the token routes.',
  unsupported_option: 'The option exists but not here, or not yet. The detail names what is taken.',
  source_failed:
    'The other side refused, did not answer in time or answered nonsense; the detail says which. Correct the connection, or try again once the other side works.',
  invalid_scope: 'Ask only for scopes that the client was granted, or leave scope out for all of them.',
  query_not_read_only:
    'Send exactly one SELECT (WITH and VALUES included). Nothing that writes, attaches or configures runs.',
  query_failed:
    'Correct the statement. A table or function it names may not exist for this organization: list tables with GET /v1/tables.',
  query_timeout: 'Make the statement cheaper, or raise timeout_ms (at most 120000).',
  query_too_large:
    'The statement needed more memory, temporary disk or answer than it may use. Filter or aggregate more, or select fewer columns.',
  version_expired:
    'Past versions are kept for a while. List those that are left with GET /v1/tables/{table_id}/versions.',
  invalid_cadence: 'New cadences recur every one period and are one_time, daily, weekly or monthly.',
  invalid_grant: 'The code or refresh token is unknown, used or expired; start the login again.',
  unsupported_grant_type: 'Use the grant type that the route documents.',
  body_too_large:
    'JSON bodies have at most 1 MiB, rows and pages 32 MiB, file content 12 MiB. Split it, or upload a file.',
  authorization_pending: 'Keep polling at the interval that was given.',
  slow_down: 'Wait five seconds longer between polls from now on.',
  access_denied: 'The person denied the request; start again if that was a mistake.',
  expired_token: 'The device code expired before it was approved; start again.',
  unauthorized: 'Send the header Authorization: Bearer with an access token.',
  invalid_token: 'The token is unknown, malformed or revoked. Exchange the client credentials for a new one.',
  token_expired: 'Tokens live an hour. Exchange the client credentials for a new one.',
  invalid_client: 'Check the client id and secret. A revoked client needs a new one from an administrator.',
  missing_scope: 'Use a token that carries the scope named in missing_scope.',
  admin_required: 'A person with the role admin or owner, or a client issued with admin, may do this.',
  organization_suspended:
    'An operator of this service suspended the organization. Its data is kept. Ask the operator to resume it.',
  origin_refused: 'Call the MCP server from a program, or from a page of this service.',
  not_found: 'The id is wrong, or belongs to another organization. List the resource to find the right one.',
  range_not_satisfiable: 'The header Content-Range of the answer gives the size of the content.',
  method_not_allowed: 'The path exists, under the methods that the Allow header lists.',
  conflict: 'The detail says what prevents it.',
  limit_reached:
    'There are as many as there may be: `limit` says how many, `current` how many there are. Delete something first; trying again does not help.',
  revision_conflict: 'Read the resource again, apply the change to it, and send the revision you read.',
  name_taken: 'Names are unique in the organization, ignoring case. Choose another.',
  snapshot_not_enabled: 'Enable snapshots on the dataset or in the connection\u2019s snapshot policy.',
  snapshot_active: 'Wait for the running snapshot of this dataset, or cancel it.',
  duplicate_row_id:
    'The s_id values in row_ids are present already or repeated. Append only new ones, or use PUT to overwrite.',
  duplicate_row_key:
    'Rows of the keys in `keys` are present already or repeated. Use PUT to overwrite them, or leave them out.',
  page_content_mismatch:
    'A page is immutable: the first content stays. Stage other content under another page number or batch.',
  generation_fenced: 'The sync moved to another generation; start a snapshot with the current one.',
  batch_not_open: 'The batch is applying or has ended. Ask for its state with GET.',
  manifest_incomplete: 'Stage the pages listed as missing, or complete with the pages that are staged.',
  not_appendable: 'Only data tables take rows. Create one with POST /v1/grid/tables and kind=data.',
  not_materialized: 'Materialize the table first; for a profile, compute one.',
  verification_failed:
    'GET /v1/verification-tests/runs/{runId} shows the failing rows. Correct the data, or the test, and start again.',
  conversation_busy: 'A reply is streaming. Queue the message, or interrupt the reply.',
  idempotency_in_flight: 'The first request with this key is still running. Wait and send it again.',
  rate_limited: 'Wait as long as Retry-After says. RateLimit headers tell what is left.',
  queries_saturated: 'Too many statements of the organization run at once. Wait and try again.',
  internal_error: 'The fault is ours. Try again, and quote the request id to the operator if it stays.',
  workflows_unavailable:
    'Nothing was started, as far as is known. Try again shortly; with an idempotency key nothing happens twice.',
  storage_unavailable:
    'A store did not answer. Try again shortly; with an idempotency key nothing happens twice.',
  overloaded:
    'More bytes are under way than the service takes at once. Wait as long as Retry-After says, or send less at a time.',
};
