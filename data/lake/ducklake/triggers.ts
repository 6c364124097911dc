import { commitKey } from '../locks.ts';
import { identifier } from '../sql.ts';
import { foreignChangesStatements, isOurs } from './foreign-changes.ts';

/**
 * Incremented with every change of the statements below, of `indexes.ts` or of `../ledger-tables.ts`; a lake
 * with an older version is updated when it is next used.
 */
export const catalogVersion = 4;

/**
 * A session that wrote a commit's changes but sends no COMMIT is terminated after this long. An engine sends
 * it at once; a machine that has gone away never does, and would block all other writers of the table.
 */
const commitWithin = '30s';

/**
 * The triggers a lake needs on DuckLake's tables; safe to repeat. Each function finds a commit by its row of
 * snapshot changes, the last row that DuckLake writes before it sends COMMIT. `record_operations` writes the
 * ledger, `record_foreign_changes` what others committed; `forget_outlived` (migration 0009) prevents tables
 * of inlined rows from being dropped while others read them.
 */
export function triggerStatements(schemaName: string): string[] {
  const schema = identifier(schemaName);
  return [
    `CREATE OR REPLACE TRIGGER record_operations AFTER INSERT ON ${schema}.ducklake_snapshot_changes
       FOR EACH ROW WHEN (${isOurs}) EXECUTE FUNCTION ${schema}.record_operations()`,
    `CREATE OR REPLACE TRIGGER forget_outlived AFTER INSERT ON ${schema}.ducklake_inlined_data_tables
       FOR EACH ROW EXECUTE FUNCTION public.forget_outlived_inlined_tables_of_lake()`,
    ...commitBarrierStatements(schema),
    ...flushedDeletionsStatements(schema),
    ...foreignChangesStatements(schema),
  ];
}

/** Until it has ended, a commit blocks the next holder of the lock of any of its tables (locks.ts). */
function commitBarrierStatements(schema: string): string[] {
  return [
    `CREATE OR REPLACE FUNCTION ${schema}.hold_off_writers() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       PERFORM pg_advisory_xact_lock_shared(${commitKey('id')})
       FROM jsonb_array_elements_text(NEW.commit_extra_info::jsonb -> 'tables') AS id;
       PERFORM set_config('idle_in_transaction_session_timeout', '${commitWithin}', true);
       RETURN NULL;
     END $$`,
    `CREATE OR REPLACE TRIGGER hold_off_writers AFTER INSERT ON ${schema}.ducklake_snapshot_changes
       FOR EACH ROW WHEN (${isOurs}) EXECUTE FUNCTION ${schema}.hold_off_writers()`,
  ];
}

/**
 * A flush removes inlined deletions from their table when it is planned. If another table's commit takes the
 * next snapshot number first, DuckLake restarts the transaction and registers the deletion files again, but
 * does not repeat the removal. The same positions would then be in both, which its reader takes for live
 * rows. So the commit itself removes the deletions that its files contain. `partial_max` is the newest
 * deletion in a file that a flush wrote; a newer one has another origin and stays.
 */
function flushedDeletionsStatements(schema: string): string[] {
  return [
    `CREATE OR REPLACE FUNCTION ${schema}.remove_flushed_deletions() RETURNS trigger LANGUAGE plpgsql AS $$
     DECLARE
       flushed bigint;
       files_from bigint;
     BEGIN
       SELECT next_file_id INTO files_from FROM ${schema}.ducklake_snapshot
       WHERE snapshot_id < NEW.snapshot_id ORDER BY snapshot_id DESC LIMIT 1;
       FOR flushed IN
         SELECT id::bigint FROM jsonb_array_elements_text(NEW.commit_extra_info::jsonb -> 'flushed') AS id
         UNION
         SELECT name[1]::bigint FROM regexp_matches(NEW.changes_made, 'inline_flush:([0-9]+)', 'g') AS name
       LOOP
         IF to_regclass(format('%I.%I', TG_TABLE_SCHEMA, 'ducklake_inlined_delete_' || flushed)) IS NULL THEN
           CONTINUE;
         END IF;
         EXECUTE format(
           'DELETE FROM %1$I.%2$I d USING %1$I.ducklake_delete_file f
            WHERE f.table_id = $1 AND f.delete_file_id >= $2
              AND f.data_file_id = d.file_id AND f.partial_max >= d.begin_snapshot',
           TG_TABLE_SCHEMA, 'ducklake_inlined_delete_' || flushed) USING flushed, files_from;
       END LOOP;
       RETURN NULL;
     END $$`,
    `CREATE OR REPLACE TRIGGER remove_flushed_deletions AFTER INSERT ON ${schema}.ducklake_snapshot_changes
       FOR EACH ROW WHEN (NEW.changes_made LIKE '%deleted_from_table:%')
       EXECUTE FUNCTION ${schema}.remove_flushed_deletions()`,
  ];
}
