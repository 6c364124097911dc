/**
 * Advice for each error code. Only our own texts: a failure's message may quote user data, which must not
 * enter a history.
 */
const byCode: Readonly<Record<string, string>> = {
  approval_denied: 'A person denied it. Resume the run to ask again.',
  approval_expired: 'Nobody decided in time. Resume the run to ask again.',
  backfill_failed:
    'Some of its runs failed or were cancelled. Start another backfill with only_missing to run them again.',
  condition_invalid: 'Its SQL must return one row with one boolean. Correct the graph.',
  conflict: 'Something that it needs is archived, deleted or in use. Correct that and start it again.',
  delivery_failed: 'Fix the remote service, then retry the delivery.',
  delivery_refused:
    'The remote service refuses the delivery permanently. Correct the address or the secret, then retry the delivery.',
  delivery_uncertain: 'The remote service may have received it. Check there before you retry the delivery.',
  internal_error:
    'The service has a fault, or a store was down for a long time. Check the logs of the workers, then start it again.',
  invalid_request: "Its input isn't valid. Correct it and start it again.",
  mail_refused:
    'The mail server refuses the email. Correct the address or the server, then retry the delivery.',
  name_taken: 'Choose another name for the table.',
  node_timeout:
    'It took longer than its timeout_seconds. Resume the run, or give the node more time in a new version.',
  not_found: 'Something that it names was deleted. Correct that and start it again.',
  query_failed: 'Its SQL failed. Correct the SQL or the data and start it again.',
  query_timeout: 'Its SQL took too long. Read less, or aggregate.',
  query_too_large: 'Its SQL returns or needs too much. Read less, or aggregate.',
  rate_limited:
    'The organization was at a limit for too long. Wait for some of its work to end, then start it again.',
  run_cancelled: 'A run that it waited for was cancelled. Resume it to start that run again.',
  schedule_run_failed:
    'Its run, or a delivery of the result, failed. Correct that and run the schedule again.',
  snapshot_not_confirmed:
    'Nobody confirmed that it could lose so many rows. Take another snapshot and confirm it.',
  source_failed: "The source didn't answer as expected. Test its connection and start it again.",
  storage_unavailable: 'A store was down for too long. Bring it back and start it again.',
  terminated: 'An operator terminated it. Start it again.',
  turn_step_limit: 'The analyst reached its limit of steps. Ask for less at once.',
  turn_timeout: 'The analyst reached its time limit. Ask for less at once.',
  verification_failed: 'Rows failed a blocking test. Correct the rows or the test.',
  version_expired: 'The data that it reads is no longer kept. Resume it with data=newest, or start it again.',
};

export const adviceOf = (code: string): string =>
  byCode[code] ?? 'The API tells the person who started it what to do.';
