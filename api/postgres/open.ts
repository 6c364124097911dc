import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { createRecorder } from '../../domain/workspace/audit/recorder.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { createPostgresListener } from './listener.ts';

interface PostgresConfig {
  host: string;
  postgres:
    | { port: number /** Files in PEM. */; tls: { certificate: string; key: string } | undefined }
    | undefined;
}

/** Listens for PostgreSQL's clients, if that is configured. */
export async function openPostgres(
  deps: ApiDeps,
  app: Routes,
  { host, postgres }: PostgresConfig,
): Promise<{ port: number; close(): Promise<void> } | undefined> {
  if (postgres === undefined) return undefined;
  const { tls } = postgres;
  const listener = createPostgresListener({
    deps,
    record: createRecorder(deps.db),
    admit: app.rateLimit.bySession,
    tls: tls && createSecureContext({ cert: await readFile(tls.certificate), key: await readFile(tls.key) }),
  });
  const port = await listener.listen(postgres.port, host);
  deps.logger.info({ port, isEncrypted: tls !== undefined }, 'listening for PostgreSQL clients');
  return { port, close: listener.close };
}
