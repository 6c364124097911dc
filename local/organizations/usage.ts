import pg from 'pg';
import type { Database } from '../../data/postgres/client.ts';
import { allOrganizations, getListed } from '../../domain/workspace/organizations/suspension.ts';
import { usageOf } from '../../domain/workspace/usage/show.ts';

interface UsageDeps {
  db: Database;
  /** Of the owner, who reads the ledgers of lakes. */
  url: string;
  print(value: object): void;
}

/** Prints what organizations used, a line for each and month: one of them if it is named, or all. */
export async function printUsage({ db, url, print }: UsageDeps, id: string, month?: string): Promise<void> {
  if (month !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new Error('--month must be a month, such as 2026-11.');
  const owner = new pg.Pool({ connectionString: url, max: 1, application_name: 'organizations' });
  const asked = id === '' ? allOrganizations(db) : [await getListed(db, id)];
  for await (const { id: organizationId } of asked)
    for (const used of await usageOf(owner, organizationId, month)) print(used);
}
