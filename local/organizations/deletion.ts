import type { Database } from '../../data/postgres/client.ts';
import { createTemporalClient, type TemporalSettings } from '../../data/processes/connect.ts';
import { createProcesses, type Processes } from '../../data/processes/processes.ts';
import { tellKept, wakeDeletion } from '../../domain/workspace/organizations/deletion/process.ts';
import { keepOrganization, planDeletion } from '../../domain/workspace/organizations/deletion/states.ts';

interface DeletionDeps {
  db: Database;
  temporal: TemporalSettings;
}

const daySeconds = 86_400;
const usualDays = 7;
const mostDays = 365;

/** Plans the deletion, or another time for it. Nothing is deleted whose id was not given twice. */
export async function deleteOrganization(
  deps: DeletionDeps,
  id: string,
  { confirm, inDays }: { confirm: string | undefined; inDays: string | undefined },
): Promise<void> {
  if (confirm !== id)
    throw new Error(`This deletes everything that belongs to ${id}. To confirm, add --confirm ${id}`);
  const days = Number(inDays ?? usualDays);
  if (inDays?.trim() === '' || !(days >= 0 && days <= mostDays))
    throw new Error(`--in-days must be a number from 0 (now) to ${mostDays}.`);
  await planDeletion(deps.db, id, days * daySeconds);
  await tell(deps, (processes) => wakeDeletion(processes, id));
}

export async function keepFromDeletion(deps: DeletionDeps, id: string): Promise<void> {
  await keepOrganization(deps.db, id);
  await tell(deps, (processes) => tellKept(processes, id));
}

/** What is to be done is in the database; a worker starts the process where this could not. */
async function tell(
  { db, temporal }: DeletionDeps,
  work: (processes: Processes) => Promise<void>,
): Promise<void> {
  const client = createTemporalClient(temporal, {});
  await work(createProcesses(db, client, { isRemote: temporal.tls })).catch((error: Error) =>
    process.stderr.write(`${error.message} A worker checks within a minute.\n`),
  );
}
