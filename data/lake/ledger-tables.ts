import { identifier } from './sql.ts';

/**
 * The ledger next to DuckLake's own tables. A trigger (ducklake/triggers.ts) inserts each commit's
 * `commit_extra_info` into it, so an operation is in the ledger exactly when its data is in the lake, and its
 * entry outlives snapshot expiry.
 */
export function ledgerStatements(schemaName: string, readerRole: string): string[] {
  const schema = identifier(schemaName);
  return [
    `CREATE TABLE IF NOT EXISTS ${schema}.workspace_operation (
       id text PRIMARY KEY,
       snapshot_id bigint NOT NULL,
       table_id text NOT NULL,
       operation text NOT NULL,
       rows_added bigint NOT NULL,
       rows_removed bigint NOT NULL,
       run_id text,
       committed_by text NOT NULL,
       committed_at timestamptz NOT NULL DEFAULT clock_timestamp())`,
    `CREATE INDEX IF NOT EXISTS workspace_operation_table ON ${schema}.workspace_operation (table_id, snapshot_id)`,
    `CREATE TABLE IF NOT EXISTS ${schema}.workspace_table (
       table_id text PRIMARY KEY,
       row_count bigint NOT NULL,
       version bigint NOT NULL,
       updated_at timestamptz NOT NULL)`,
    `CREATE OR REPLACE FUNCTION ${schema}.record_operations() RETURNS trigger LANGUAGE plpgsql AS $$
     DECLARE
       committed CONSTANT timestamptz := clock_timestamp();
     BEGIN
       INSERT INTO ${schema}.workspace_operation
         (id, snapshot_id, table_id, operation, rows_added, rows_removed, run_id, committed_by, committed_at)
       SELECT o.id, NEW.snapshot_id, o.table_id, o.operation, o.rows_added, o.rows_removed, o.run_id, o.committed_by,
         committed
       FROM jsonb_to_recordset(NEW.commit_extra_info::jsonb -> 'operations') AS o(
         id text, table_id text, operation text, rows_added bigint, rows_removed bigint, run_id text, committed_by text);
       INSERT INTO ${schema}.workspace_table AS t (table_id, row_count, version, updated_at)
       SELECT o.table_id, sum(o.rows_added - o.rows_removed), NEW.snapshot_id, committed
       FROM jsonb_to_recordset(NEW.commit_extra_info::jsonb -> 'operations') AS o(
         table_id text, rows_added bigint, rows_removed bigint)
       GROUP BY o.table_id
       ON CONFLICT (table_id) DO UPDATE SET
         row_count = t.row_count + excluded.row_count, version = excluded.version, updated_at = excluded.updated_at;
       RETURN NULL;
     END $$`,
    `REVOKE ALL ON ${schema}.workspace_operation, ${schema}.workspace_table FROM ${identifier(readerRole)}`,
  ];
}
