import { ValidationError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { snapshotShowing } from '../tables/versions.ts';

/** A requested version, and a snapshot that shows the table at that version. */
export interface AskedVersion {
  version: number;
  snapshotId: number;
}

/**
 * Resolves `at_versions` (id or name, ignoring case) to tables.
 *
 * @throws ValidationError where no table has the id or name, AppError version_expired
 */
export async function askedVersions<Table extends { id: string; name: string }>(
  { catalogPool }: Pick<LakeDeps, 'catalogPool'>,
  schema: string,
  tables: readonly Table[],
  wanted: Readonly<Record<string, number>>,
): Promise<Map<Table, AskedVersion>> {
  const found = new Map<Table, AskedVersion>();
  for (const [key, version] of Object.entries(wanted)) {
    const table = tables.find((row) => row.id === key || row.name.toLowerCase() === key.toLowerCase());
    if (table === undefined) {
      throw new ValidationError([
        { loc: ['body', 'at_versions', key], msg: 'No table has this id or name.', type: 'value_error' },
      ]);
    }
    found.set(table, { version, snapshotId: await snapshotShowing(catalogPool, schema, table.id, version) });
  }
  return found;
}
