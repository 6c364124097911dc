import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Cipher, createCipher } from '../../../../data/encryption.ts';
import { nameOf, sealedColumns } from '../../../../domain/workspace/keys/sealed-columns.ts';
import { projectOf } from '../../../support/conversations.ts';
import { startMcpServer, type TestMcpServer } from '../../../support/mcp-server.ts';
import { graphOf, node, workflowsOf } from '../../../support/workflows.ts';
import { type Answer, type TestClient, useOwnWorkspace, type Workspace } from '../../../support/workspace.ts';

const keys = new Map<string, string>();

/** A key list with these ids; an id always means the same key. */
export function keyList(...ids: string[]): string {
  return ids
    .map((id) => {
      const key = keys.get(id) ?? randomBytes(32).toString('base64');
      keys.set(id, key);
      return `${id}:${key}`;
    })
    .join();
}

export interface KeysLab {
  workspace: Workspace;
  /** Makes something in every sealed column through the API, for a new organization. */
  fill(): Promise<Filled>;
  /** Every sealed value as it is stored: `lakes.reader_password org_…`. */
  sealed(): Promise<Map<string, Buffer>>;
  /** The same, opened. */
  opened(cipher: Cipher): Promise<Map<string, string>>;
  /** How many values are sealed under each key. */
  keysInUse(): Promise<Record<string, number>>;
}

export interface Filled {
  client: TestClient;
  connectionId: string;
  /** A request that was answered under an idempotency key: repeated, it gets the same answer. */
  project: { repeat(): Promise<Answer>; answer: Answer };
  hook: { path: string; secrets: string[] };
}

const password = 'the password of the source';
export const plainSecrets = [password, 'the-token-of-the-tools', 'the secret of a delivery', 'whsec_'];

/** A workspace whose API seals under the first of these keys. */
export function useKeysLab(...ids: string[]): KeysLab {
  const workspace = useOwnWorkspace({}, () => ({
    ENCRYPTION_KEYS: keyList(...ids),
    ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
  }));
  let server: TestMcpServer;
  beforeAll(async () => {
    server = await startMcpServer({ tools: [{ name: 'read', description: 'Reads.' }] });
  });
  afterAll(() => server.close());

  const lab: KeysLab = {
    workspace,
    async fill() {
      const client = await workspace.organization();
      const project = await projectOf(client);
      const made = async (url: string, body: object) => {
        const answer = await client.call('POST', url, { body });
        expect(answer.status, answer.text).toBeLessThan(300);
        return answer.body.data;
      };
      const { id: connectionId } = await made('/v1/connections/data', {
        name: 'Shop',
        type: 'postgres',
        config: { host: 'db.example.com', database: 'shop', user: 'readonly' },
        secrets: { password },
      });
      await made('/v1/connections/app', {
        name: 'Tools',
        type: 'mcp',
        url: server.url,
        secrets: { token: plainSecrets[1] },
      });
      const workflows = workflowsOf(client, () => project);
      const webhook = node('tell', 'webhook_delivery', {
        url: 'https://example.com/',
        secret: plainSecrets[2],
      });
      const workflow = await workflows.draft(
        graphOf([node('one', 'query', { sql: 'SELECT 1 AS one' }), webhook], [['one.done', 'tell.start']]),
        { triggers: [{ type: 'webhook' }] },
      );
      await workflows.activate(workflow);
      const [trigger] = workflow.triggers;
      const { secret } = await made(`/v1/workflows/${workflow.id}/triggers/${trigger.id}/secret`, {});
      await workspace.deps.lake.catalog.get(client.organizationId);
      const repeat = () =>
        client.call('POST', '/v1/projects', {
          body: { name: 'Made once' },
          headers: { 'idempotency-key': 'made-once' },
        });
      return {
        client,
        connectionId,
        project: { repeat, answer: await repeat() },
        hook: { path: new URL(trigger.config.hookUrl).pathname, secrets: [trigger.secret, secret] },
      };
    },
    async sealed() {
      const values = new Map<string, Buffer>();
      for (const some of sealedColumns) {
        const id = ['organization_id', ...some.key].join(` || ' ' || `);
        const { rows } = await workspace.deps.lake.catalogPool.query<{ id: string; value: Buffer }>(
          `SELECT ${id} AS id, ${some.column} AS value FROM ${some.table} WHERE ${some.column} IS NOT NULL`,
        );
        for (const row of rows) values.set(`${nameOf(some)} ${row.id}`, row.value);
      }
      return values;
    },
    async opened(cipher) {
      const values = await lab.sealed();
      return new Map([...values].map(([id, value]) => [id, cipher.open(value).toString()]));
    },
    async keysInUse() {
      const counts: Record<string, number> = {};
      for (const value of (await lab.sealed()).values()) {
        const id = value.toString('latin1', 1, 1 + value[0]!);
        counts[id] = (counts[id] ?? 0) + 1;
      }
      return counts;
    },
  };
  return lab;
}

export const cipherOf = (...ids: string[]): Cipher => createCipher(keyList(...ids));
