-- A backup under way. Until then nothing is removed from the object store that its copy of the database may
-- name. It moves the time on while it copies, so that one that was killed holds nothing back for long.
CREATE TABLE backup_holds (
  id text PRIMARY KEY,
  until timestamptz NOT NULL
);

-- Whether schedules, triggers and deliveries wait for an operator, in this copy of the database. `place` is
-- the database and bucket that a copy was resumed for: copied once more, it is paused again.
CREATE TABLE automation_pause (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  paused_at timestamptz,
  resumed_at timestamptz,
  place text
);
INSERT INTO automation_pause DEFAULT VALUES;
