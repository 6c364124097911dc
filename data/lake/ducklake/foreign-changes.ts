/** Whether a commit is the service's own: it then carries a note (commitExtraInfo in ../ledger.ts). */
export const isOurs = `NEW.commit_extra_info LIKE '{%"operations":[%'`;

/** Changes of a table's rows or shape, among those that DuckLake lists of a commit. */
const changes = [
  'inserted_into_table',
  'deleted_from_table',
  'inlined_insert',
  'inlined_delete',
  'altered_table',
];

/**
 * The trigger that enters into the ledger what somebody else committed to a table of the service, as a
 * version of the operation `foreign`. No note says how many rows were added or removed, so all rows are
 * counted, and the difference is entered.
 */
export function foreignChangesStatements(schema: string): string[] {
  return [
    `CREATE OR REPLACE FUNCTION ${schema}.record_foreign_changes() RETURNS trigger LANGUAGE plpgsql AS $$
     DECLARE
       changed bigint;
       known_id text;
       known_rows bigint;
       rows_now bigint;
       part_name text;
       part_rows bigint;
     BEGIN
       FOR changed IN
         SELECT DISTINCT name[1]::bigint
         FROM regexp_matches(NEW.changes_made, '(?:${changes.join('|')}):([0-9]+)', 'g') AS name
       LOOP
         SELECT t.id INTO known_id
         FROM public.lakes l
         JOIN public.tables t ON t.organization_id = l.organization_id
         JOIN ${schema}.ducklake_table d ON d.table_name = t.name
         WHERE l.schema_name = TG_TABLE_SCHEMA AND d.table_id = changed AND d.end_snapshot IS NULL;
         CONTINUE WHEN known_id IS NULL;

         SELECT coalesce(sum(f.record_count - coalesce((
           SELECT sum(x.delete_count) FROM ${schema}.ducklake_delete_file x
           WHERE x.data_file_id = f.data_file_id AND x.end_snapshot IS NULL), 0)), 0) INTO rows_now
         FROM ${schema}.ducklake_data_file f WHERE f.table_id = changed AND f.end_snapshot IS NULL;
         part_name := format('%I.%I', TG_TABLE_SCHEMA, 'ducklake_inlined_delete_' || changed);
         IF to_regclass(part_name) IS NOT NULL THEN
           EXECUTE format(
             'SELECT count(*) FROM %s d JOIN %I.ducklake_data_file f ON f.data_file_id = d.file_id
              WHERE f.end_snapshot IS NULL', part_name, TG_TABLE_SCHEMA) INTO part_rows;
           rows_now := rows_now - part_rows;
         END IF;
         FOR part_name IN
           SELECT i.table_name FROM ${schema}.ducklake_inlined_data_tables i WHERE i.table_id = changed
         LOOP
           EXECUTE format('SELECT count(*) FROM %I.%I WHERE end_snapshot IS NULL', TG_TABLE_SCHEMA, part_name)
             INTO part_rows;
           rows_now := rows_now + part_rows;
         END LOOP;

         SELECT coalesce(max(w.row_count), 0) INTO known_rows
         FROM ${schema}.workspace_table w WHERE w.table_id = known_id;
         INSERT INTO ${schema}.workspace_operation
           (id, snapshot_id, table_id, operation, rows_added, rows_removed, committed_by)
         VALUES ('foreign:' || NEW.snapshot_id || ':' || known_id, NEW.snapshot_id, known_id, 'foreign',
           greatest(rows_now - known_rows, 0), greatest(known_rows - rows_now, 0), 'role:' || session_user);
         INSERT INTO ${schema}.workspace_table AS w (table_id, row_count, version, updated_at)
         VALUES (known_id, rows_now, NEW.snapshot_id, clock_timestamp())
         ON CONFLICT (table_id) DO UPDATE SET
           row_count = excluded.row_count, version = excluded.version, updated_at = excluded.updated_at;
       END LOOP;
       RETURN NULL;
     END $$`,
    `CREATE OR REPLACE TRIGGER record_foreign_changes AFTER INSERT ON ${schema}.ducklake_snapshot_changes
       FOR EACH ROW WHEN ((${isOurs}) IS NOT TRUE) EXECUTE FUNCTION ${schema}.record_foreign_changes()`,
  ];
}
