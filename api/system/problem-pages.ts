import type { ErrorCode } from '../../data/errors.ts';

/** Advice to callers for each problem; the text of its page. */
export const problemPages: Record<ErrorCode, string> = {
  invalid_request: 'Read the detail, correct the request and send it again.',
  unsupported_media_type:
    'Send the content type that the route documents: application/json, or a form on the token routes.',
  unsupported_option:
    "The option exists, but this route doesn't support it, or not yet. The detail lists what is supported.",
  source_failed:
    "The remote service refused the request, didn't answer in time or sent an invalid response. The detail says which. Correct the connection, or try again when the remote service works.",
  invalid_scope: 'Ask only for scopes that the client has, or omit scope to get all of them.',
  query_not_read_only:
    "Send exactly one SELECT statement (WITH and VALUES are allowed). Statements that write, attach or configure anything don't run.",
  query_failed:
    "Correct the statement. It may name a table or function that doesn't exist in this organization. List the tables with GET /v1/tables.",
  query_timeout: 'Make the statement cheaper, or raise timeout_ms (up to 120000).',
  query_too_large:
    'The statement needs more memory, more temporary disk space or a larger response than allowed. Filter or aggregate more, or select fewer columns.',
  version_expired:
    'Past versions are kept only for a while. List the available ones with GET /v1/tables/{table_id}/versions.',
  invalid_cadence:
    'A new cadence must be one_time, daily, weekly or monthly, and must recur every one period.',
  invalid_grant:
    'The code or refresh token is unknown, was already used or has expired. Start the login again.',
  unsupported_grant_type: 'Use the grant type that the route documents.',
  body_too_large:
    'JSON bodies can have up to 1 MiB, rows and pages up to 32 MiB, and file content up to 12 MiB. Split the body, or upload a file.',
  authorization_pending: 'Keep polling at the interval of the first response.',
  slow_down: 'Wait five seconds longer between polls from now on.',
  access_denied: 'The person denied the request. Start again if that was a mistake.',
  expired_token: 'The device code expired before anybody approved it. Start again.',
  unauthorized: 'Send the header Authorization: Bearer with an access token.',
  invalid_token: 'The token is unknown, malformed or revoked. Exchange the client credentials for a new one.',
  token_expired: 'Access tokens last one hour. Exchange the client credentials for a new one.',
  invalid_client:
    'Check the client id and secret. If the client was revoked, ask an administrator for a new one.',
  missing_scope: 'Use a token that has the scope named in missing_scope.',
  admin_required: 'Only a person with the role admin or owner, or a client created with admin, can do this.',
  organization_suspended:
    'An operator of this service suspended the organization. Its data is kept. Ask the operator to resume it.',
  origin_refused: 'Call the MCP server from a program, or from a page of this service.',
  not_found:
    'The id is wrong, or it belongs to another organization. List the resource to find the right one.',
  range_not_satisfiable: 'The Content-Range header of the response gives the size of the content.',
  method_not_allowed: 'The path exists, but only for the methods in the Allow header.',
  conflict: 'The detail says what prevents the request.',
  limit_reached:
    "You have reached a limit: `limit` gives the limit and `current` how many there are. Delete something first. Trying again doesn't help.",
  revision_conflict: 'Read the resource again, apply your change to it, and send the revision that you read.',
  name_taken: 'Names are unique in the organization, ignoring case. Choose another one.',
  snapshot_not_enabled: 'Enable snapshots on the dataset or in the connection\u2019s snapshot policy.',
  snapshot_active: 'Wait for the running snapshot of this dataset, or cancel it.',
  duplicate_row_id:
    'The s_id values in row_ids already exist or are repeated. Append only new ones, or use PUT to overwrite.',
  duplicate_row_key:
    'Rows with the keys in `keys` already exist or are repeated. Use PUT to overwrite them, or leave them out.',
  page_content_mismatch:
    "A staged page can't change. Stage other content under another page number or in another batch.",
  generation_fenced: 'The sync moved to another generation. Start a snapshot with the current one.',
  batch_not_open: 'The batch is being applied or has ended. Check its state with GET.',
  manifest_incomplete:
    'Stage the pages that are listed as missing, or complete the batch with the pages that are staged.',
  not_appendable: 'Only data tables accept rows. Create one with POST /v1/grid/tables and kind=data.',
  not_materialized: 'Materialize the table first. For a profile, compute one.',
  verification_failed:
    'GET /v1/verification-tests/runs/{runId} shows the failing rows. Correct the data or the test, and start again.',
  conversation_busy: 'The analyst is still replying. Queue the message, or interrupt the reply.',
  idempotency_in_flight: 'The first request with this key is still running. Wait and send it again.',
  rate_limited: 'Wait as long as the Retry-After header says. The RateLimit headers show what is left.',
  queries_saturated: 'Too many statements of the organization are running. Wait and try again.',
  internal_error: 'This is our fault. Try again. If it keeps failing, quote the request id to the operator.',
  workflows_unavailable:
    'As far as we know, nothing was started. Try again shortly. With an idempotency key, nothing happens twice.',
  storage_unavailable:
    "A data store didn't answer. Try again shortly. With an idempotency key, nothing happens twice.",
  overloaded:
    'The service is receiving more data than it can take at once. Wait as long as the Retry-After header says, or send less at a time.',
};
