import type { Cipher } from '../../../../data/encryption.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { graphToRun, versionById, type WorkflowVersion } from '../definitions/versions.ts';
import type { Graph } from '../graphs/graph.ts';
import type { WorkflowRun } from './workflow-runs.ts';

/** The version that a run began with, regardless of which is active now. */
export const versionOfRun = (db: OrganizationTransaction, row: WorkflowRun): Promise<WorkflowVersion> =>
  versionById(db, row.organization_id, row.version_id);

/** Its graph, with its secrets. */
export async function graphOfRun(
  db: OrganizationTransaction,
  cipher: Cipher,
  row: WorkflowRun,
): Promise<Graph> {
  return graphToRun(cipher, await versionOfRun(db, row));
}
