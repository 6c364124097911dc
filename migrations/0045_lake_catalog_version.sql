-- Which statements of ours a lake's catalog has (data/lake/ducklake/triggers.ts). One that an older release made gets
-- the newer ones when it is next used, a lake at a time: a migration of all would lock every catalog at once.
ALTER TABLE lakes ADD COLUMN catalog_version integer NOT NULL DEFAULT 0;
