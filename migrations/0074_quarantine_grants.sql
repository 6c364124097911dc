-- A quarantine table has the grants of its table, always: whatever asks for grants may ask either row.
CREATE FUNCTION grants_of_quarantined() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE base record;
BEGIN
  IF NEW.quarantine_of IS NULL THEN RETURN NEW; END IF;
  -- Locked, so that grants which are replaced meanwhile are not missed.
  SELECT t.readers, t.writers INTO base FROM tables t
  WHERE t.organization_id = NEW.organization_id AND t.id = NEW.quarantine_of FOR SHARE;
  IF FOUND THEN
    NEW.readers := base.readers;
    NEW.writers := base.writers;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER grants_of_quarantined BEFORE INSERT OR UPDATE OF quarantine_of, readers, writers ON tables
  FOR EACH ROW EXECUTE FUNCTION grants_of_quarantined();

CREATE FUNCTION pass_grants_to_quarantine() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  UPDATE tables SET readers = NEW.readers, writers = NEW.writers
  WHERE organization_id = NEW.organization_id AND quarantine_of = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER pass_grants_to_quarantine AFTER UPDATE OF readers, writers ON tables
  FOR EACH ROW WHEN (OLD.readers IS DISTINCT FROM NEW.readers OR OLD.writers IS DISTINCT FROM NEW.writers)
  EXECUTE FUNCTION pass_grants_to_quarantine();

-- The network from which a public client registered itself: none may fill all places.
ALTER TABLE public_clients ADD COLUMN address_group text;
