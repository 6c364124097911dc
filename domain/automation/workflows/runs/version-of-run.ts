import type { Cipher } from '../../../../data/encryption.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { graphToRun, versionById, type WorkflowVersion } from '../definitions/versions.ts';
import type { Graph } from '../graphs/graph.ts';
import type { WorkflowRun } from './workflow-runs.ts';

/** The version that a run began with, regardless of which is active now. */
export const versionOfRun = (db: OrganizationTransaction, row: WorkflowRun): Promise<WorkflowVersion> =>
  versionById(db, row.organization_id, row.version_id);

/**
 * Whether a run needs the whole lake at its snapshot: what a dashboard reads is known only when it is
 * read.
 */
export const readsWholeLake = ({ nodes }: Pick<Graph, 'nodes'>): boolean =>
  nodes.some(({ type }) => type === 'dashboard');

/** Its graph, with its secrets. */
export async function graphOfRun(
  db: OrganizationTransaction,
  cipher: Cipher,
  row: WorkflowRun,
): Promise<Graph> {
  return graphToRun(cipher, await versionOfRun(db, row));
}
