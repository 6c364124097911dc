-- Conversations with the analyst. Every change of one holds its row, so that its messages, its queue and its events have
-- one order.
CREATE TABLE conversations (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  title text NOT NULL DEFAULT '',
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Its latest activity, to the millisecond, which is what a page's cursor holds.
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  message_count integer NOT NULL DEFAULT 0,
  -- A Stop with messages waiting: nothing is taken from the queue until somebody resumes it.
  queue_held boolean NOT NULL DEFAULT false,
  -- The last numbers given out: of messages and queue entries, and of events.
  last_position bigint NOT NULL DEFAULT 0,
  last_event_id bigint NOT NULL DEFAULT 0,
  -- Since when there is something for its process to see to.
  due_since timestamptz,
  deleted_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE INDEX conversations_of_project ON conversations (organization_id, project_id, updated_at DESC, id DESC)
  WHERE deleted_at IS NULL;
CREATE INDEX conversations_due ON conversations (due_since) WHERE due_since IS NOT NULL;
CALL isolate_organizations('conversations');

CREATE TABLE messages (
  organization_id text NOT NULL,
  id text NOT NULL,
  conversation_id text NOT NULL,
  position bigint NOT NULL,
  role text NOT NULL CHECK (role IN ('user', 'assistant')),
  status text NOT NULL CHECK (status IN ('streaming', 'waiting_approval', 'complete', 'error', 'cancelled')),
  -- Of a user's message. A reply's is that of its text parts.
  content text NOT NULL DEFAULT '',
  display_content text,
  model text NOT NULL,
  effort text CHECK (effort IN ('low', 'medium', 'high')),
  -- The user's message that a reply answers.
  answers_id text,
  created_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When its turn was taken up.
  started_at timestamptz,
  completed_at timestamptz,
  error_code text,
  error_message text,
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  -- What its turn reads: [{tableId, version}]
  data_versions jsonb NOT NULL DEFAULT '[]',
  -- Counts the tries of model steps: of two at once only the younger one writes.
  tries integer NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, conversation_id, position),
  FOREIGN KEY (organization_id, conversation_id) REFERENCES conversations (organization_id, id) ON DELETE CASCADE
);
-- One active turn a conversation.
CREATE UNIQUE INDEX messages_active ON messages (organization_id, conversation_id)
  WHERE status IN ('streaming', 'waiting_approval');
CALL isolate_organizations('messages');

-- What a reply is made of, in order.
CREATE TABLE message_parts (
  organization_id text NOT NULL,
  message_id text NOT NULL,
  part_index integer NOT NULL,
  -- The model step that made it.
  step integer NOT NULL,
  type text NOT NULL CHECK (type IN ('text', 'tool_call', 'chart', 'report')),
  text text NOT NULL DEFAULT '',
  tool_call_id text,
  name text,
  input jsonb,
  status text CHECK (status IN ('running', 'waiting_approval', 'done', 'failed', 'denied', 'cancelled')),
  summary text,
  result_id text,
  elapsed_ms integer,
  -- What a tool answered to the model, as JSON text.
  output text,
  -- A chart's or report's id and title.
  resource_id text,
  title text,
  PRIMARY KEY (organization_id, message_id, part_index),
  FOREIGN KEY (organization_id, message_id) REFERENCES messages (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('message_parts');

-- What the model answered in each step, as it has to be shown to it again.
CREATE TABLE message_steps (
  organization_id text NOT NULL,
  message_id text NOT NULL,
  step integer NOT NULL,
  response jsonb NOT NULL,
  PRIMARY KEY (organization_id, message_id, step),
  FOREIGN KEY (organization_id, message_id) REFERENCES messages (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('message_steps');

CREATE TABLE queued_messages (
  organization_id text NOT NULL,
  id text NOT NULL,
  conversation_id text NOT NULL,
  position bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'dispatched', 'failed', 'removed')),
  message text NOT NULL,
  display_content text,
  model text NOT NULL,
  effort text CHECK (effort IN ('low', 'medium', 'high')),
  behind_message_id text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- What it became.
  message_id text,
  user_message_id text,
  failure_code text,
  failure_detail text,
  revision integer NOT NULL DEFAULT 1,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, conversation_id, position),
  FOREIGN KEY (organization_id, conversation_id) REFERENCES conversations (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX queued_messages_waiting ON queued_messages (organization_id, conversation_id, position) WHERE status = 'queued';
CALL isolate_organizations('queued_messages');

-- What happened in a conversation, numbered without gaps, written with what it tells of.
CREATE TABLE conversation_events (
  organization_id text NOT NULL,
  conversation_id text NOT NULL,
  id bigint NOT NULL,
  event text NOT NULL,
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, conversation_id, id),
  FOREIGN KEY (organization_id, conversation_id) REFERENCES conversations (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX conversation_events_age ON conversation_events (created_at);
CALL isolate_organizations('conversation_events');

-- Rows that a tool answered; they themselves are in the object store.
CREATE TABLE tool_results (
  organization_id text NOT NULL,
  id text NOT NULL,
  conversation_id text NOT NULL,
  message_id text NOT NULL,
  sql text NOT NULL,
  title text NOT NULL,
  columns jsonb NOT NULL,
  row_count integer NOT NULL,
  truncated boolean NOT NULL,
  elapsed_ms double precision NOT NULL,
  scanned jsonb NOT NULL,
  object_key text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, conversation_id) REFERENCES conversations (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('tool_results');

-- Charts of conversations: the document with its data, and what was drawn of it, are in the object store.
CREATE TABLE charts (
  organization_id text NOT NULL,
  id text NOT NULL,
  conversation_id text NOT NULL,
  message_id text NOT NULL,
  result_id text NOT NULL,
  title text NOT NULL,
  -- [{tableId, version}]
  data_versions jsonb NOT NULL,
  object_prefix text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, conversation_id) REFERENCES conversations (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('charts');

CREATE TABLE reports (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  title text NOT NULL,
  content_type text NOT NULL,
  size_bytes integer NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  source text NOT NULL CHECK (source IN ('api', 'conversation', 'playbook', 'workflow')),
  source_id text,
  data_versions jsonb NOT NULL DEFAULT '[]',
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE INDEX reports_of_project ON reports (organization_id, project_id, id DESC);
CALL isolate_organizations('reports');

CREATE TABLE report_versions (
  organization_id text NOT NULL,
  report_id text NOT NULL,
  revision integer NOT NULL,
  title text NOT NULL,
  content text NOT NULL,
  data_versions jsonb NOT NULL DEFAULT '[]',
  -- Names what wrote it: the same write again is found to be done.
  write_id text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, report_id, revision),
  FOREIGN KEY (organization_id, report_id) REFERENCES reports (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('report_versions');

-- Tokens of models that an organization used, by calendar month in UTC.
CREATE TABLE token_usage (
  organization_id text NOT NULL,
  month date NOT NULL,
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, month)
);
CALL isolate_organizations('token_usage');

-- Conversations whose process should have looked by now; deleted ones until they are gone.
CREATE FUNCTION due_conversations(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT c.organization_id, c.id FROM conversations c
    WHERE c.due_since < now() - older_than ORDER BY random() LIMIT at_most
  $$;

-- Conversations with a turn under way, whatever their process does.
CREATE FUNCTION conversations_in_turn(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT m.organization_id, m.conversation_id FROM messages m
    WHERE m.status IN ('streaming', 'waiting_approval') AND m.created_at < now() - older_than
    ORDER BY random() LIMIT at_most
  $$;
CREATE INDEX messages_in_turn ON messages (created_at) WHERE status IN ('streaming', 'waiting_approval');

-- Events that nobody can ask for any more.
CREATE FUNCTION purge_conversation_events(at_most integer) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    DELETE FROM conversation_events WHERE ctid IN (
      SELECT ctid FROM conversation_events WHERE created_at < now() - interval '7 days' LIMIT at_most)
  $$;
REVOKE EXECUTE ON FUNCTION due_conversations, conversations_in_turn, purge_conversation_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_conversations, conversations_in_turn, purge_conversation_events TO workspace_service;
