import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { createTestDatabase, type TestClient } from './workspace.ts';

/** A foreign PostgreSQL: a separate database, and a user who may read what the test grants. */
export interface SourceDatabase {
  admin: pg.Client;
  role: string;
  password: string;
  config: { host: string; port: number; database: string; user: string; ssl_mode: string };
  run(...statements: string[]): Promise<void>;
  /** A connection to it, and its path in the API. */
  connect(client: TestClient, more?: object): Promise<string>;
}

export function useSourceDatabase(): SourceDatabase {
  const source = {} as SourceDatabase;
  const closers: (() => Promise<unknown> | unknown)[] = [];
  beforeAll(async () => {
    const address = new URL(await createTestDatabase(closers));
    const admin = new pg.Client({ connectionString: address.href });
    await admin.connect();
    closers.push(() => admin.end());
    const role = `reader_${randomUUID().slice(0, 8)}`;
    const password = 'a-secret-password';
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
    closers.push(() => admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
    await admin.query(`CREATE SCHEMA shop; GRANT USAGE ON SCHEMA shop TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA shop GRANT SELECT ON TABLES TO ${role}`);
    const config = {
      host: '127.0.0.1',
      port: Number(address.port),
      database: address.pathname.slice(1),
      user: role,
      ssl_mode: 'disable',
    };
    Object.assign(source, {
      admin,
      role,
      password,
      config,
      async run(...statements) {
        for (const statement of statements) await admin.query(statement);
      },
      async connect(client, more = {}) {
        const body = {
          ...{ name: `Shop ${randomUUID()}`, type: 'postgres', config, secrets: { password } },
          ...{ snapshot_config: { enabled: true } },
          ...more,
        };
        const made = await client.call('POST', '/v1/connections/data', { body });
        expect(made.status, made.text).toBe(201);
        return `/v1/connections/data/${made.body.data.id}`;
      },
    } satisfies SourceDatabase);
  });
  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });
  return source;
}
