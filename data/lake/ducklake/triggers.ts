import { identifier } from '../sql.ts';

/**
 * What a new lake needs in DuckLake's tables; safe to repeat. The ledger's function finds a commit as NEW.snapshot_id
 * and NEW.commit_extra_info; the other (migration 0009) keeps tables of inlined rows from being dropped while others
 * read by them.
 */
export function triggerStatements(schemaName: string): string[] {
  const schema = identifier(schemaName);
  return [
    `CREATE OR REPLACE TRIGGER record_operations AFTER INSERT ON ${schema}.ducklake_snapshot_changes
       FOR EACH ROW WHEN (NEW.commit_extra_info IS NOT NULL) EXECUTE FUNCTION ${schema}.record_operations()`,
    `CREATE OR REPLACE TRIGGER forget_outlived AFTER INSERT ON ${schema}.ducklake_inlined_data_tables
       FOR EACH ROW EXECUTE FUNCTION public.forget_outlived_inlined_tables_of_lake()`,
  ];
}
