import pg from 'pg';
import { identifier } from '../../../../data/lake/sql.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Workspace } from '../../../support/workspace.ts';
import { type LabTable, query } from './lab.ts';

const key = 4_711;

/**
 * Begins `work`, holds the first session that is about to change the catalog's table, runs `meanwhile`, and
 * releases it: its commit then finds that another one was faster.
 */
export async function whileHeld<T>(
  workspace: Workspace,
  { lake }: LabTable,
  change: `INSERT ON ${string}` | `DELETE ON ${string}`,
  { work, meanwhile }: { work: () => Promise<T>; meanwhile: () => Promise<unknown> },
): Promise<T> {
  const schema = identifier(lake.schema);
  const holder = new pg.Client({ connectionString: workspace.databaseUrl });
  await holder.connect();
  try {
    await holder.query('SELECT pg_advisory_lock($1)', [key]);
    await query(workspace, `CREATE SEQUENCE ${schema}.sessions_seen`);
    await query(
      workspace,
      `CREATE FUNCTION ${schema}.hold_first() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF nextval('${schema}.sessions_seen') = 1 THEN PERFORM pg_advisory_xact_lock(${key}); END IF;
         RETURN NULL;
       END $$`,
    );
    await query(
      workspace,
      `CREATE TRIGGER hold_first BEFORE ${change.replace(' ON ', ` ON ${schema}.`)}
       FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.hold_first()`,
    );
    const working = work();
    working.catch(() => undefined);
    const waiting = 'SELECT FROM pg_locks WHERE locktype = $1 AND objid = $2 AND NOT granted';
    await eventually(
      async () => (await holder.query(waiting, ['advisory', key])).rowCount,
      (sessions) => sessions === 1,
    );
    await meanwhile();
    await holder.query('SELECT pg_advisory_unlock($1)', [key]);
    return await working;
  } finally {
    await holder.end();
    await query(workspace, `DROP FUNCTION IF EXISTS ${schema}.hold_first() CASCADE`);
    await query(workspace, `DROP SEQUENCE IF EXISTS ${schema}.sessions_seen`);
  }
}
