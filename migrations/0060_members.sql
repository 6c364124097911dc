-- What runs as somebody who was removed is paused, with the reason. A workflow is paused too when its owner may
-- no longer read a table that it reads.
ALTER TABLE schedules ADD COLUMN pause_reason text CHECK (pause_reason IN ('maker_removed'));
ALTER TABLE workflows ADD COLUMN pause_reason text CHECK (pause_reason IN ('maker_removed', 'grant_lost'));
