-- Tables that engines write through the Iceberg catalog.
ALTER TABLE tables DROP CONSTRAINT tables_kind_check;
ALTER TABLE tables ADD CONSTRAINT tables_kind_check
  CHECK (kind IN ('data', 'calc', 'import', 'snapshot', 'system', 'view', 'iceberg')) NOT VALID;

-- What engines note of their tables.
CREATE TABLE iceberg_tables (
  organization_id text NOT NULL,
  table_id text NOT NULL,
  properties jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, table_id),
  FOREIGN KEY (organization_id, table_id) REFERENCES tables (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('iceberg_tables');
