-- The session of the pages in which a login of the service's own console was begun: the two end together.
ALTER TABLE authorization_codes ADD COLUMN page_session_id text;
ALTER TABLE logins ADD COLUMN page_session_id text;
