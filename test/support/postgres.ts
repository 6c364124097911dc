import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createPostgresListener, type PostgresOptions } from '../../api/postgres/listener.ts';
import { createRecorder } from '../../domain/workspace/audit/recorder.ts';
import type { TestClient, Workspace } from './workspace.ts';

export interface PostgresDoor {
  port: number;
  sessions(): number;
  /** A connected client of node-postgres; it is closed after the tests of the file. */
  connect(client: TestClient, change?: pg.ClientConfig): Promise<pg.Client>;
  config(client: TestClient): pg.ClientConfig & { port: number };
}

/** PostgreSQL's door of a workspace, on a free port. */
export function usePostgres(workspace: Workspace, change: Partial<PostgresOptions> = {}): PostgresDoor {
  const door = {} as PostgresDoor;
  const clients: pg.Client[] = [];
  let close: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const { app, deps } = workspace;
    const listener = createPostgresListener({
      ...{ deps, record: createRecorder(deps.db), admit: app.rateLimit.bySession, tls: undefined },
      ...change,
    });
    close = listener.close;
    door.port = await listener.listen(0, '127.0.0.1');
    door.sessions = listener.sessions;
    door.config = ({ clientId, clientSecret, organizationId }) => ({
      ...{ host: '127.0.0.1', port: door.port, user: clientId, password: clientSecret },
      database: organizationId,
    });
    door.connect = async (client, settings = {}) => {
      const connected = new pg.Client({ ...door.config(client), ...settings });
      connected.on('error', () => undefined);
      clients.push(connected);
      await connected.connect();
      return connected;
    };
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
    await close?.();
  });
  return door;
}
