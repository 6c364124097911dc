-- Counts the changes of what statements of an organization may name and read: tables, views, grants, people and API
-- clients. A process that remembers these looks here whether they still hold. No row: nothing has changed.
CREATE TABLE names_versions (
  organization_id text PRIMARY KEY REFERENCES organizations (id),
  version bigint NOT NULL
);
CALL isolate_organizations('names_versions');

-- Deferred to the end of the transaction, when it holds all other locks: the row is locked for the commit alone, and
-- last, so that nobody waits for it while holding what another needs.
CREATE FUNCTION count_names_change() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
  BEGIN
    INSERT INTO names_versions AS v (organization_id, version)
    SELECT o.id, 1 FROM organizations o WHERE o.id = coalesce(NEW.organization_id, OLD.organization_id)
    ON CONFLICT (organization_id) DO UPDATE SET version = v.version + 1;
    RETURN NULL;
  END $$;

CREATE CONSTRAINT TRIGGER count_names_change
  AFTER INSERT OR DELETE OR UPDATE OF name, kind, status, readers, failures_of ON tables
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_names_change();
CREATE CONSTRAINT TRIGGER count_names_change
  AFTER INSERT OR DELETE OR UPDATE OF query, built, defined_by ON definitions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_names_change();
CREATE CONSTRAINT TRIGGER count_names_change
  AFTER INSERT OR DELETE OR UPDATE OF role, removed_at ON users
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_names_change();
CREATE CONSTRAINT TRIGGER count_names_change
  AFTER INSERT OR DELETE OR UPDATE OF admin, revoked_at, expires_at ON api_clients
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_names_change();
