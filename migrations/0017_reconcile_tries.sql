-- What reconciliation tries, and when again. A try is claimed for a while, so that workers share the items. It
-- holds names and ids, nothing of an organization's data.
CREATE TABLE reconcile_tries (
  step text NOT NULL,
  item text NOT NULL,
  attempts integer NOT NULL DEFAULT 1,
  -- To the millisecond: it is also how a claim is told from a later one.
  next_try_at timestamptz(3) NOT NULL,
  PRIMARY KEY (step, item)
);
CREATE INDEX reconcile_tries_age ON reconcile_tries (next_try_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON reconcile_tries TO workspace_service;
