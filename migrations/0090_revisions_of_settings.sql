-- How often anything but the query of a definition was changed: what was built from it is as current as before,
-- while whoever changes it sees each of these as another revision.
ALTER TABLE definitions ADD COLUMN other_changes integer NOT NULL DEFAULT 0;
