-- What an import put aside belongs to the table that it was read into, as the quarantine of batches and tables of
-- failing rows do: whoever may read that one may read it, and nobody else.
ALTER TABLE tables ADD COLUMN bad_rows_of text;

CREATE OR REPLACE FUNCTION grants_of_quarantined() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE
  base_id text := coalesce(NEW.quarantine_of, NEW.failures_of, NEW.bad_rows_of);
  base record;
BEGIN
  IF base_id IS NULL THEN RETURN NEW; END IF;
  -- Locked, so that grants which are replaced meanwhile are not missed.
  SELECT t.readers, t.writers INTO base FROM tables t
  WHERE t.organization_id = NEW.organization_id AND t.id = base_id FOR SHARE;
  IF FOUND THEN
    NEW.readers := base.readers;
    NEW.writers := base.writers;
  END IF;
  RETURN NEW;
END
$$;
DROP TRIGGER grants_of_quarantined ON tables;
CREATE TRIGGER grants_of_quarantined
  BEFORE INSERT OR UPDATE OF quarantine_of, failures_of, bad_rows_of, readers, writers ON tables
  FOR EACH ROW EXECUTE FUNCTION grants_of_quarantined();

CREATE OR REPLACE FUNCTION pass_grants_to_quarantine() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  UPDATE tables SET readers = NEW.readers, writers = NEW.writers
  WHERE organization_id = NEW.organization_id
    AND (quarantine_of = NEW.id OR failures_of = NEW.id OR bad_rows_of = NEW.id);
  RETURN NULL;
END
$$;

-- Those that an administrator has restricted keep their own grants. The grants are named, so that they are passed on.
-- allowed: few tables were made by an import that put rows aside, and each row is changed once.
UPDATE tables t SET bad_rows_of = i.table_id, readers = t.readers, writers = t.writers
  FROM table_imports i
  WHERE i.organization_id = t.organization_id AND i.quarantine_table_id = t.id
    AND t.readers IS NULL AND t.writers IS NULL;
