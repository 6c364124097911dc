-- Rows of small commits lie in tables of the lake's catalog, one for each schema a lake's table had. DuckLake
-- drops an empty one of an outlived schema after any flush, while other processes still read by it and lose
-- their whole engine. It drops what its registry lists: so an empty one leaves the registry as soon as a newer
-- one enters it, in the same commit, and stays where those who remember it will look.
CREATE FUNCTION forget_outlived_inlined_tables(lake_schema text, of_table bigint DEFAULT NULL) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    outlived text;
    holds_rows boolean;
  BEGIN
    FOR outlived IN EXECUTE format(
      'SELECT i.table_name FROM %1$I.ducklake_inlined_data_tables i
       WHERE ($1 IS NULL OR i.table_id = $1) AND EXISTS (
         SELECT FROM %1$I.ducklake_inlined_data_tables n
         WHERE n.table_id = i.table_id AND n.schema_version > i.schema_version)', lake_schema) USING of_table
    LOOP
      holds_rows := false;
      BEGIN
        EXECUTE format('SELECT EXISTS (SELECT FROM %I.%I)', lake_schema, outlived) INTO holds_rows;
      EXCEPTION WHEN undefined_table THEN
        NULL; -- It went with the last version of its table.
      END;
      IF NOT holds_rows THEN
        EXECUTE format('DELETE FROM %I.ducklake_inlined_data_tables WHERE table_name = $1', lake_schema) USING outlived;
      END IF;
    END LOOP;
  END $$;

CREATE FUNCTION forget_outlived_inlined_tables_of_lake() RETURNS trigger LANGUAGE plpgsql
  AS $$
  BEGIN
    PERFORM public.forget_outlived_inlined_tables(TG_TABLE_SCHEMA, NEW.table_id);
    RETURN NULL;
  END $$;

-- Lakes that are there already; every new one gets the trigger when it is made.
DO $$
  DECLARE lake_schema text;
  BEGIN
    FOR lake_schema IN SELECT schema_name FROM lakes WHERE ready_at IS NOT NULL LOOP
      EXECUTE format(
        'CREATE OR REPLACE TRIGGER forget_outlived AFTER INSERT ON %I.ducklake_inlined_data_tables
         FOR EACH ROW EXECUTE FUNCTION public.forget_outlived_inlined_tables_of_lake()', lake_schema);
    END LOOP;
  END $$;

REVOKE EXECUTE ON FUNCTION forget_outlived_inlined_tables, forget_outlived_inlined_tables_of_lake FROM PUBLIC;
