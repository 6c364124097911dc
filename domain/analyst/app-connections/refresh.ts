import { type FailureStage, RemoteFailure } from '../../../data/outgoing/failure.ts';
import type { Redaction } from '../../../data/outgoing/redaction.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { type AppConnectionRow, getAppConnectionRow, updateAppConnection } from './app-connections.ts';
import type { AppToolDeps } from './clients.ts';
import { type ListedTool, maxTools, readListed } from './listed-tool.ts';
import { recordTools } from './record-tools.ts';
import type { AppSession } from './session.ts';

export interface TestOutcome {
  ok: boolean;
  elapsedMs: number;
  failure: { stage: FailureStage; message: string } | null;
}

/**
 * Queries a connection's server for its tools and stores the list or the failure, within half a minute and
 * even if the caller disconnects.
 *
 * @throws AppError not_found, rate_limited
 */
export async function refreshTools(
  deps: AppToolDeps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<TestOutcome> {
  const connection = await inOrganization(deps.db, organizationId, (db) =>
    getAppConnectionRow(db, organizationId, id),
  );
  const { signal } = new AbortController();
  const startedMs = performance.now();
  const found = await deps.apps.session(connection, signal, listTools).catch((error: unknown) => {
    if (error instanceof RemoteFailure) return error;
    throw error;
  });
  const elapsedMs = Math.round(performance.now() - startedMs);
  await keep(deps, connection, found);
  const failure = found instanceof RemoteFailure ? { stage: found.stage, message: found.message } : null;
  return { ok: failure === null, elapsedMs, failure };
}

/** @throws RemoteFailure where there are too many */
export async function listTools(session: AppSession, redaction: Redaction): Promise<ListedTool[]> {
  const listed = await session.listTools();
  if (listed.length > maxTools)
    throw new RemoteFailure('request', `The server lists more than ${maxTools} tools, which is the limit.`);
  return readListed(listed, redaction);
}

/** A result obtained with settings that have changed since is discarded. */
export async function keep(
  deps: Pick<AppToolDeps, 'db'>,
  { organization_id: organizationId, id, settings_revision: revision }: AppConnectionRow,
  found: ListedTool[] | RemoteFailure,
): Promise<void> {
  await inOrganization(deps.db, organizationId, async (db) => {
    const connection = await getAppConnectionRow(db, organizationId, id, 'update');
    if (connection.settings_revision !== revision) return;
    const isFailure = found instanceof RemoteFailure;
    if (!isFailure) await recordTools(db, connection, found);
    await updateAppConnection(db, organizationId, id, {
      status: isFailure ? 'failed' : 'ready',
      failure_stage: isFailure ? found.stage : null,
      failure_message: isFailure ? found.message : null,
      tested_at: new Date(),
    });
  });
}
