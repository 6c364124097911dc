import type { LakeDeps } from '../../../data/lake/commit.ts';
import { readLake } from '../../../data/lake/ducklake/alive.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import type { LakeColumn, PhysicalTable } from './columns.ts';
import type { StagedFiles } from './fill.ts';

export interface Comparison {
  table: PhysicalTable;
  staged: StagedFiles;
  /** Columns of both sides. */
  keys: readonly string[];
}

/**
 * How many rows of a table have a key that is not in the staged files. Keys are compared as text because
 * their types may differ.
 */
export async function countMissingRows(
  { catalog, engine }: Pick<LakeDeps, 'catalog' | 'engine'>,
  organizationId: string,
  { table, staged, keys }: Comparison,
): Promise<number> {
  const lake = await catalog.get(organizationId);
  const ofTable = namesIn(table.columns, keys);
  const ofFiles = namesIn(staged.columns, keys);
  if (ofTable === undefined || ofFiles === undefined) return 0;
  const files = staged.files.map(({ url }) => literal(url)).join(', ');
  const texts = ofFiles.map((name, index) => `CAST(${name} AS VARCHAR) AS k${index}`).join(', ');
  const equal = ofTable.map((name, index) => `CAST(t.${name} AS VARCHAR) IS NOT DISTINCT FROM f.k${index}`);
  const without =
    staged.files.length === 0
      ? ''
      : `ANTI JOIN (SELECT ${texts} FROM read_parquet([${files}])) AS f ON ${equal.join(' AND ')}`;
  return readLake(engine, lake, async (connection) => {
    const { rows } = await connection.read(`SELECT count(*) FROM ${identifier(table.name)} AS t ${without}`);
    return Number(rows[0]![0]);
  });
}

function namesIn(columns: readonly LakeColumn[], keys: readonly string[]): string[] | undefined {
  const names = keys.map((key) => columns.find(({ name }) => name.toLowerCase() === key.toLowerCase())?.name);
  return names.every((name) => name !== undefined) ? names.map(identifier) : undefined;
}
