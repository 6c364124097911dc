import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { listVersions } from '../../../data/lake/ledger.ts';
import type { TableRow } from '../tables/registry.ts';
import { snapshotShowing } from '../tables/versions.ts';
import { type Content, countRows, type Limits, type RunTestsDeps } from './run-tests.ts';

/** When a version of a table was committed. */
export async function versionTime(
  { catalogPool }: Pick<LakeDeps, 'catalogPool'>,
  schema: string,
  tableId: string,
  version: number,
): Promise<Date> {
  const [found] = await listVersions(catalogPool, schema, tableId, version + 1, 1);
  if (found === undefined) throw new AppError('version_expired', `Version ${version} is no longer kept.`);
  return found.committedAt;
}

/** The rows of the version before; undefined if there is none, it had none, or is kept no longer. */
export async function rowsBefore(
  deps: RunTestsDeps & { lake: Pick<LakeDeps, 'catalogPool'> },
  content: Content,
  { schema, table, version }: { schema: string; table: TableRow; version: number },
  limits: Limits,
): Promise<number | undefined> {
  const [before] = await listVersions(deps.lake.catalogPool, schema, table.id, version, 1);
  if (before === undefined || before.operation === 'delete') return undefined;
  try {
    const snapshotId = await snapshotShowing(deps.lake.catalogPool, schema, table.id, before.version);
    const atVersions = new Map([[table.name, snapshotId]]);
    const rows = await countRows(deps, { ...content, atVersions }, limits);
    return rows === 0 ? undefined : rows;
  } catch (error) {
    if (error instanceof AppError && ['version_expired', 'query_failed'].includes(error.code))
      return undefined;
    throw error;
  }
}
