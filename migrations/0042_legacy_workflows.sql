-- Of a workflow that came in from another system as a list of steps, as they are shown: [{id, position, type, targetFileId,
-- config, targets}]. What runs is the graph that was made of them.
ALTER TABLE workflows
  ADD COLUMN steps jsonb,
  ADD CONSTRAINT workflows_steps CHECK ((execution_format = 'steps') = (steps IS NOT NULL));
