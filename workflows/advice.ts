/**
 * Advice for each error code. Only our own texts: a failure's message may quote user data, which must not
 * enter a history.
 */
const byCode: Readonly<Record<string, string>> = {
  approval_denied: 'A person denied it; resume it to ask again.',
  approval_expired: 'Nobody decided in time; resume it to ask again.',
  backfill_failed:
    'Some of its fires failed or were cancelled: another backfill with only_missing fires those again.',
  condition_invalid: 'Its SQL has to give one row with one boolean: correct the graph.',
  conflict: 'What it needs is archived, deleted or in use: put that right, and start it again.',
  delivery_failed: 'Put the other side right, and retry the delivery.',
  delivery_refused:
    'The other side refuses it for good: correct the address or the secret, and retry the delivery.',
  delivery_uncertain: 'The other side may have it: ask there before the delivery is retried.',
  internal_error:
    'The fault is of the service, or a store was away for long: the logs of the workers say which; then start it again.',
  invalid_request: 'What it was given does not fit: correct that, and start it again.',
  mail_refused: 'The mail server refuses it: correct the address or the server, and retry the delivery.',
  name_taken: 'Choose another name for the table.',
  node_timeout:
    'It took longer than its timeout_seconds: resume it, or give the node longer in a new version.',
  not_found: 'What it names was deleted: correct that, and start it again.',
  query_failed: 'Its SQL failed: correct it, or the data, and start it again.',
  query_timeout: 'Its SQL took too long: read less, or aggregate.',
  query_too_large: 'Its SQL gives or needs too much: read less, or aggregate.',
  rate_limited:
    'Too much of the organization was under way for too long: wait for some of it, and start it again.',
  run_cancelled: 'What it waited for was cancelled: resume it to start that again.',
  schedule_run_failed: 'Its run, or a delivery of what that made, failed: put that right, and fire it again.',
  snapshot_not_confirmed: 'Nobody confirmed that it may lose so many rows: take another, and confirm it.',
  source_failed: 'The source did not answer as it should: test its connection, and start it again.',
  storage_unavailable:
    'A store was away for longer than it is waited for: bring it back, and start it again.',
  terminated: 'An operator ended it by force: start it again.',
  turn_step_limit: 'The analyst took as many steps as it may: ask for less at once.',
  turn_timeout: 'The analyst took as long as it may: ask for less at once.',
  verification_failed: 'Rows did not pass a test that blocks: correct them, or the test.',
  version_expired:
    'The data that it reads is not kept any more: resume it with data=newest, or start it again.',
};

export const adviceOf = (code: string): string =>
  byCode[code] ?? 'The API tells whoever started it what to do.';
