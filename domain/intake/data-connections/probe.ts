import { AppError } from '../../../data/errors.ts';
import { type FailureStage, RemoteFailure } from '../../../data/outgoing/failure.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { SourceClients } from './clients.ts';
import { type DataConnection, getDataConnection } from './data-connections.ts';
import type { ResourcesRequest, SourceResource } from './sources/source.ts';

export interface SourceDeps {
  db: Database;
  sources: SourceClients;
}

export interface TestOutcome {
  ok: boolean;
  elapsedMs: number;
  failure: { stage: FailureStage; message: string } | null;
}

/** Timeout of a test, or of listing resources. */
const timeoutMs = 10_000;

interface ConnectionId {
  organizationId: string;
  id: string;
}

/**
 * Tests whether a connection's source can be used, and if not, why. The outcome is stored with the
 * connection.
 */
export async function testConnection(deps: SourceDeps, where: ConnectionId): Promise<TestOutcome> {
  const connection = await read(deps, where);
  const startedMs = performance.now();
  const failure = await deps.sources
    .use(connection, timeoutMs, (source, target, signal) => source.test(target, signal))
    .then(() => null)
    .catch((error: unknown) => {
      if (!(error instanceof RemoteFailure)) throw error;
      return { stage: error.stage, message: error.message };
    });
  const elapsedMs = Math.round(performance.now() - startedMs);
  await inOrganization(deps.db, where.organizationId, (db) =>
    db
      .updateTable('data_connections')
      .set({ last_tested_at: new Date(), last_test_ok: failure === null })
      .where('organization_id', '=', where.organizationId)
      .where('id', '=', where.id)
      // No row if the settings have changed since the test began.
      .where('settings_revision', '=', connection.settings_revision)
      .execute(),
  );
  return { ok: failure === null, elapsedMs, failure };
}

/** Lists what can be copied from a connection's source. @throws AppError source_failed with the reason */
export async function listResources(
  deps: SourceDeps,
  where: ConnectionId,
  request: ResourcesRequest,
): Promise<SourceResource[]> {
  const connection = await read(deps, where);
  try {
    return await deps.sources.use(connection, timeoutMs, (source, target, signal) =>
      source.resources(target, request, signal),
    );
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // Without the cause: it contains the source's answer, which may include a secret, and causes are logged.
    throw new AppError('source_failed', error.message, { extensions: { stage: error.stage } });
  }
}

function read(deps: SourceDeps, { organizationId, id }: ConnectionId): Promise<DataConnection> {
  return inOrganization(deps.db, organizationId, (db) => getDataConnection(db, organizationId, id));
}
