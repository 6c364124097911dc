import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateToLatest } from '../../migrations/migrate.ts';
import { createTestDatabase } from '../support/workspace.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];
let client: pg.Client;

/** A database as the release before accounts left it, with people, and what the migration made of it. */
beforeAll(async () => {
  const migrated = new URL(await createTestDatabase(closers));
  const admin = new pg.Client({ connectionString: migrated.href });
  await admin.connect();
  closers.push(() => admin.end());
  const name = `${migrated.pathname.slice(1)}_before`;
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  closers.push(() => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
  const databaseUrl = new URL(migrated.href);
  databaseUrl.pathname = `/${name}`;

  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  closers.push(() => rm(folder, { recursive: true }));
  const source = new URL('../../migrations/', import.meta.url);
  for (const file of await readdir(source))
    if (file.endsWith('.sql') && file < '0101') await copyFile(new URL(file, source), join(folder, file));
  await migrateToLatest(databaseUrl.href, pathToFileURL(`${folder}/`));

  client = new pg.Client({ connectionString: databaseUrl.href });
  await client.connect();
  closers.push(() => client.end());
  await client.query(`
    INSERT INTO organizations (id, name, slug) VALUES ('org_a', 'A', 'a'), ('org_b', 'B', 'b');
    INSERT INTO users (organization_id, id, email, name, role, password_hash, removed_at) VALUES
      ('org_a', 'usr_password', 'password@example.com', 'P', 'owner', 'hash of a', NULL),
      ('org_a', 'usr_provider', 'provider@example.com', 'O', 'admin', NULL, NULL),
      ('org_b', 'usr_provider', 'Provider@example.com', 'O', 'admin', NULL, NULL),
      ('org_b', 'usr_both', 'password@example.com', 'B', 'member', NULL, NULL),
      ('org_b', 'usr_invited', 'owner@localhost', 'Owner', 'owner', NULL, NULL),
      ('org_b', 'usr_removed', 'removed@example.com', 'R', 'member', NULL, now());
    INSERT INTO oidc_subjects (organization_id, user_id, issuer, subject) VALUES
      ('org_a', 'usr_provider', 'https://id.example.com', 'one'),
      ('org_b', 'usr_provider', 'https://id.example.com', 'two'),
      ('org_b', 'usr_both', 'https://id.example.com', 'three');
    INSERT INTO page_sessions (organization_id, id, token_hash, user_id, expires_at)
      VALUES ('org_a', 'ses_1', '\\x01', 'usr_password', now() + interval '1 hour')`);
  await migrateToLatest(databaseUrl.href);
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function accountOf(organizationId: string, userId: string) {
  const { rows } = await client.query(
    `SELECT a.email, a.password_hash AS password, a.proven_at IS NOT NULL AS "isProven",
            (SELECT s.subject FROM account_subjects s WHERE s.account_id = a.id) AS subject
     FROM users u JOIN accounts a ON a.id = u.account_id WHERE u.organization_id = $1 AND u.id = $2`,
    [organizationId, userId],
  );
  return rows[0];
}

test('whoever could sign in before has an account, and nobody else has', async () => {
  expect(await accountOf('org_a', 'usr_password')).toEqual({
    ...{ email: 'password@example.com', password: 'hash of a', isProven: false, subject: null },
  });
  // The same address in another organization stays an account of its own: its holder may be somebody else.
  expect(await accountOf('org_b', 'usr_both')).toEqual({
    ...{ email: 'password@example.com', password: null, isProven: true, subject: 'three' },
  });
  const providers = [await accountOf('org_a', 'usr_provider'), await accountOf('org_b', 'usr_provider')];
  expect(providers.map(({ subject }) => subject)).toEqual(['one', 'two']);
  expect(providers.filter(({ isProven }) => isProven)).toHaveLength(1);
  for (const user of ['usr_invited', 'usr_removed'])
    expect(await accountOf('org_b', user), user).toBeUndefined();
  const { rows } = await client.query("SELECT user_id FROM find_page_session('\\x01')");
  expect(rows).toEqual([{ user_id: 'usr_password' }]);
});

test('what the release before writes while it still runs is known here', async () => {
  await client.query(`
    INSERT INTO users (organization_id, id, email, name, role, password_hash)
      VALUES ('org_a', 'usr_new', 'new@example.com', 'N', 'member', 'first hash');
    UPDATE users SET password_hash = 'second hash' WHERE id = 'usr_new';
    INSERT INTO users (organization_id, id, email, name, role) VALUES ('org_a', 'usr_by', 'by@example.com', 'B', 'member');
    INSERT INTO oidc_subjects (organization_id, user_id, issuer, subject)
      VALUES ('org_a', 'usr_by', 'https://id.example.com', 'four')`);
  expect(await accountOf('org_a', 'usr_new')).toMatchObject({ password: 'second hash', isProven: false });
  expect(await accountOf('org_a', 'usr_by')).toMatchObject({ password: null, subject: 'four' });
});
