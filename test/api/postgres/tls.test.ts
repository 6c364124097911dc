import { createSecureContext } from 'node:tls';
import { expect, test } from 'vitest';
import { localhostCertificate } from '../../support/localhost-certificate.ts';
import { usePostgres } from '../../support/postgres.ts';
import { useOrganization, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);
const door = usePostgres(workspace, { tls: createSecureContext(localhostCertificate) });

test('a session over TLS', async () => {
  const sql = await door.connect(client, { ssl: { rejectUnauthorized: false } });
  expect((await sql.query('SHOW ssl')).rows).toEqual([{ ssl: 'on' }]);
  const { rows } = await sql.query('SELECT i FROM range(20000) t(i)');
  expect(rows).toHaveLength(20_000);
});
