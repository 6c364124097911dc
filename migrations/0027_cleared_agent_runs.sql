-- Runs of the analyst that have not ended, whatever their process does; and ended ones whose conversation is still there:
-- a process that was ended by force in between clears nothing.
CREATE OR REPLACE FUNCTION active_agent_runs(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT found.organization_id, found.id FROM (
      SELECT r.organization_id, r.id FROM runs r JOIN agent_runs a USING (organization_id, id)
      WHERE r.finished_at IS NULL AND r.created_at < now() - older_than
      UNION
      SELECT r.organization_id, r.id FROM conversations c
      JOIN runs r ON r.organization_id = c.organization_id AND r.id = c.run_id
      WHERE c.run_id IS NOT NULL AND r.finished_at < now() - older_than
    ) found
    ORDER BY random() LIMIT at_most
  $$;
CREATE INDEX conversations_of_runs ON conversations (organization_id, run_id) WHERE run_id IS NOT NULL;
