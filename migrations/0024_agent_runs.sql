-- What the analyst does with nobody to ask: a run of a playbook, or a report that was asked for. Its status, steps and
-- output are those of the run of the same id.
CREATE TABLE agent_runs (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  -- What is asked, with its parameters filled in.
  instructions text NOT NULL,
  -- {type: report, title} or {type: file, path}
  output jsonb NOT NULL,
  model text NOT NULL,
  effort text CHECK (effort IN ('low', 'medium', 'high')),
  source text NOT NULL CHECK (source IN ('api', 'playbook')),
  -- The playbook and its revision, where it is one's.
  playbook_id text,
  playbook_revision integer,
  params jsonb NOT NULL DEFAULT '{}',
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Where the analyst works.
  conversation_id text NOT NULL,
  message_id text NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, id) REFERENCES runs (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('agent_runs');

-- A conversation in which a run's analyst works: nobody sees it, and it ends with the run.
ALTER TABLE conversations ADD COLUMN run_id text;
DROP INDEX conversations_of_project;
CREATE INDEX conversations_of_project ON conversations (organization_id, project_id, updated_at DESC, id DESC)
  WHERE deleted_at IS NULL AND run_id IS NULL;

-- Conversations that have a process of their own, which should have looked by now.
CREATE OR REPLACE FUNCTION due_conversations(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT c.organization_id, c.id FROM conversations c
    WHERE c.due_since < now() - older_than AND c.run_id IS NULL ORDER BY random() LIMIT at_most
  $$;

CREATE OR REPLACE FUNCTION conversations_in_turn(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT m.organization_id, m.conversation_id FROM messages m
    JOIN conversations c ON c.organization_id = m.organization_id AND c.id = m.conversation_id
    WHERE m.status IN ('streaming', 'waiting_approval') AND m.created_at < now() - older_than AND c.run_id IS NULL
    ORDER BY random() LIMIT at_most
  $$;

-- Runs of the analyst that have not ended, whatever their process does.
CREATE FUNCTION active_agent_runs(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT r.organization_id, r.id FROM runs r JOIN agent_runs a USING (organization_id, id)
    WHERE r.finished_at IS NULL AND r.created_at < now() - older_than
    ORDER BY random() LIMIT at_most
  $$;
-- The list by kind or status, however rare it is.
CREATE INDEX runs_of_kind ON runs (organization_id, project_id, kind, created_at DESC, id DESC);
CREATE INDEX runs_of_status ON runs (organization_id, project_id, status, created_at DESC, id DESC);
CREATE INDEX runs_unfinished ON runs (organization_id, kind) WHERE finished_at IS NULL;

CREATE TABLE playbooks (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  title text NOT NULL,
  description text NOT NULL DEFAULT '',
  -- Markdown, with ${name} where a parameter stands.
  instructions text NOT NULL,
  -- {name: {type, required, default, description}}, as it was written
  parameters json NOT NULL DEFAULT '{}',
  -- {type: report, title} or {type: file, path}
  output jsonb NOT NULL,
  model text,
  effort text CHECK (effort IN ('low', 'medium', 'high')),
  revision integer NOT NULL DEFAULT 1,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE INDEX playbooks_of_project ON playbooks (organization_id, project_id, id DESC);
CALL isolate_organizations('playbooks');

-- Each revision as it was written.
CREATE TABLE playbook_versions (
  organization_id text NOT NULL,
  playbook_id text NOT NULL,
  revision integer NOT NULL,
  title text NOT NULL,
  description text NOT NULL,
  instructions text NOT NULL,
  parameters json NOT NULL,
  output jsonb NOT NULL,
  model text,
  effort text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, playbook_id, revision),
  FOREIGN KEY (organization_id, playbook_id) REFERENCES playbooks (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('playbook_versions');

REVOKE EXECUTE ON FUNCTION active_agent_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION active_agent_runs TO workspace_service;
