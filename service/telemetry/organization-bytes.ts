import type pg from 'pg';
import { bytesOfOrganizations } from '../../domain/workspace/usage/count.ts';

/** As many organizations have a value of their own; more would be a label without a bound. */
const most = 20;

/** The organizations that store most, with the bytes of their files and of their current tables. */
export async function largestOrganizations(
  catalogPool: Pick<pg.Pool, 'query'>,
): Promise<{ id: string; bytes: number }[]> {
  const all = await bytesOfOrganizations(catalogPool);
  return all.sort((left, right) => right.bytes - left.bytes).slice(0, most);
}
