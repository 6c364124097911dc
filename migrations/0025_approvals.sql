-- Calls of tools that a person has to allow first.
CREATE TABLE approvals (
  organization_id text NOT NULL,
  id text NOT NULL,
  conversation_id text NOT NULL,
  message_id text NOT NULL,
  part_index integer NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'allowed', 'denied', 'expired', 'cancelled')),
  note text NOT NULL DEFAULT '',
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Undecided then is denied.
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, message_id, part_index)
    REFERENCES message_parts (organization_id, message_id, part_index) ON DELETE CASCADE
);
CREATE INDEX approvals_of_conversation ON approvals (organization_id, conversation_id, id DESC);
CREATE INDEX approvals_of_message ON approvals (organization_id, message_id);
CALL isolate_organizations('approvals');

-- What a call of an app's tool calls: {connectionId, tool, fingerprint, isReadOnly}, as it was offered.
ALTER TABLE message_parts ADD COLUMN app_tool jsonb;
-- When a call that may change something was begun: it is not begun again.
ALTER TABLE message_parts ADD COLUMN attempted_at timestamptz;
