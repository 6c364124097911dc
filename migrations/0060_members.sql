-- What runs as a person who was removed is paused, with the reason.
ALTER TABLE schedules ADD COLUMN pause_reason text CHECK (pause_reason IN ('maker_removed'));
ALTER TABLE workflows ADD COLUMN pause_reason text CHECK (pause_reason IN ('maker_removed'));
