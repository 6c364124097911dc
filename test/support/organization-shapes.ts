import { expect } from 'vitest';
import { prefixesOf } from '../../domain/workspace/organizations/deletion/objects.ts';
import { somethingOfEach } from '../console/everything.ts';
import { shaping } from './calculated.ts';
import { talkIn } from './conversations.ts';
import { imported } from './lineage.ts';
import { personOf } from './people.ts';
import type { Workspace } from './workspace.ts';

/** An organization with something of each kind, among it what lives in each of the stores. */
export async function filled(workspace: Workspace, name: string) {
  const client = await workspace.organization(name);
  const owner = await personOf(workspace, client, 'owner');
  const on = shaping(client);
  const orders = await on.data('orders', { city: 'STRING', amount: 'DOUBLE' });
  await on.append(orders, [
    { s_id: 1, city: 'Porto', amount: 10 },
    { s_id: 2, city: 'Faro', amount: 20 },
  ]);
  const made = await somethingOfEach(client, owner.call, orders);
  const sales = await imported(client, {
    path: 'sales.csv',
    content: 'id,total\n1,10\n2,20\n',
    tableName: 'sales',
  });
  await on.materialized(made['calculated']!);
  const talk = await talkIn(client);
  await talk.ask('How many orders are there in each city?');
  const credential = await client.call('POST', '/v1/lake/credentials', { body: { name: 'notebooks' } });
  expect(credential.status, credential.text).toBe(201);
  const { rows } = await workspace.deps.lake.catalogPool.query<{ schema_name: string }>(
    'SELECT schema_name FROM lakes WHERE organization_id = $1',
    [client.organizationId],
  );
  const lake = rows[0]!.schema_name;
  // Of processes that were killed, in every folder.
  for (const prefix of prefixesOf(client.organizationId, lake))
    await workspace.deps.objects.put(`${prefix}left`, Buffer.from('left'), 'text/plain');
  return {
    client,
    owner,
    lake,
    credential: credential.body.data.id as string,
    /** Its data, as it is read through the API. */
    async read() {
      const file = await client.call('GET', `/v1/projects/${sales.project}/files/${sales.file}/content`);
      const answered = await on.rows('SELECT count(*)::INT AS n, sum(amount)::INT AS total FROM orders');
      return { file: file.status, orders: answered[0] };
    },
  };
}

export type Filled = Awaited<ReturnType<typeof filled>>;

/** What there still is of an organization in PostgreSQL and in the object store. */
export async function remainsOf(
  workspace: Workspace,
  { client: { organizationId }, lake, credential }: Pick<Filled, 'client' | 'lake' | 'credential'>,
) {
  const pool = workspace.deps.lake.catalogPool;
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'organization_id'`,
  );
  const rows: Record<string, number> = {};
  for (const [table, column] of [
    ...tables.map(({ name }) => [name, 'organization_id']),
    ['organizations', 'id'],
  ]) {
    const { rows: counted } = await pool.query<{ n: number }>(
      `SELECT count(*) AS n FROM public.${table} WHERE ${column} = $1`,
      [organizationId],
    );
    if (counted[0]!.n > 0) rows[table!] = counted[0]!.n;
  }
  const names = async (statement: string) =>
    (await pool.query<{ name: string }>(statement, [lake, credential])).rows.map(({ name }) => name);
  const objects: string[] = [];
  for await (const { key } of workspace.deps.objects.each(''))
    if (key.includes(organizationId) || key.includes(lake)) objects.push(key);
  return {
    rows,
    schemas: await names(`SELECT nspname AS name FROM pg_namespace WHERE nspname = $1 OR nspname = $2`),
    roles: await names(
      `SELECT rolname AS name FROM pg_roles WHERE starts_with(rolname, $1) OR rolname = $2 ORDER BY 1`,
    ),
    objects,
  };
}

export const nothing = { rows: {}, schemas: [], roles: [], objects: [] };
