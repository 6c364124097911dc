-- Who makes a snapshot wait until `waits_until`: the limits of its policy, the source, or the pause before another try.
ALTER TABLE snapshot_runs ADD COLUMN waits_for text;
