import type pg from 'pg';
import { identifier } from './sql.ts';

/** What a new lake needs so that no table of inlined rows is dropped while others read by it; safe to repeat. */
export function inlinedRowsStatements(schemaName: string): string[] {
  return [
    `CREATE OR REPLACE TRIGGER forget_outlived AFTER INSERT ON ${identifier(schemaName)}.ducklake_inlined_data_tables
       FOR EACH ROW EXECUTE FUNCTION public.forget_outlived_inlined_tables_of_lake()`,
  ];
}

/**
 * Takes the empty tables of outlived schemas off the lake's registry, whatever emptied them: any flush would
 * drop those that it lists, of every table of the lake. They stay where those who remember them will look.
 */
export async function forgetOutlivedTables(pool: Pick<pg.Pool, 'query'>, schemaName: string): Promise<void> {
  await pool.query('SELECT public.forget_outlived_inlined_tables($1)', [schemaName]);
}
