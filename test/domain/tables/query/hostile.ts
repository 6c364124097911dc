import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import hostile from './hostile.json' with { type: 'json' };
import { openTestLake, type TestLake } from './lab.ts';
import { openTestQueries, outcomeOf, type TestQueries } from './support.ts';

const relations = [
  { name: 'orders', id: 'tbl_orders' },
  { name: 'past', id: 'view_past', definition: 'SELECT * FROM orders WHERE id < 3' },
];

/** Statements that must be refused, by what they are after. */
export const hostileGroups = hostile;

/** What takes until a limit of time or memory is reached. */
export const isCostly = ({ code }: { code: string }) => ['query_timeout', 'query_too_large'].includes(code);

/** Runs statements that must be refused, and looks at what they left behind. */
export function refuseHostile(groups: typeof hostileGroups): void {
  let queries: TestQueries;
  let other: TestLake;

  beforeAll(async () => {
    other = await openTestLake();
    await other.runAsWriter(`CREATE TABLE lake.main.secrets AS SELECT 1 AS id, 'hunter2' AS name`);
    queries = await openTestQueries(relations);
    const { lake } = queries;
    await lake.runAsWriter(`CREATE TABLE lake.main.orders AS
    SELECT range AS id, 'name' || range AS name, range * 1.5 AS amount FROM range(1000)`);
    await lake.runAsWriter(`CREATE TABLE lake.main.unlisted AS SELECT 7 AS id, 'unlisted-value' AS name`);
  });

  afterAll(async () => {
    await queries?.close();
    await other?.close();
  });

  function filledIn(sql: string): string {
    const values: Record<string, string> = {
      ownPath: queries.lake.location.dataPath,
      otherPath: other.location.dataPath,
      ownSchema: queries.lake.location.catalog.schema,
      otherSchema: other.location.catalog.schema,
    };
    return sql.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  }

  async function objectsOfOwnPrefix(): Promise<string[]> {
    const { objectStore, location } = queries.lake;
    const s3 = new S3Client({
      region: objectStore.region,
      forcePathStyle: true,
      credentials: { accessKeyId: objectStore.accessKeyId, secretAccessKey: objectStore.secretAccessKey },
      ...(objectStore.endpoint !== undefined && { endpoint: objectStore.endpoint }),
    });
    const Prefix = location.dataPath.replace(`s3://${objectStore.bucket}/`, '');
    const listed = await s3.send(new ListObjectsV2Command({ Bucket: objectStore.bucket, Prefix }));
    return (listed.Contents ?? []).map((object) => object.Key ?? '').sort();
  }

  /** An error must reveal neither locations nor data of others. */
  function expectNothingPrivate(message: string, sql: string): void {
    const { location, objectStore } = queries.lake;
    const privateTexts = [
      objectStore.secretAccessKey.length > 6 ? objectStore.secretAccessKey : 'password',
      location.catalog.user,
      other.location.catalog.user,
      'hunter2',
      'unlisted-value',
      '.parquet',
      'Stack Trace',
      String(location.catalog.port),
    ];
    for (const text of privateTexts) {
      if (!sql.includes(text)) expect(message).not.toContain(text);
    }
  }

  describe.each(groups)('refuses what $aim', ({ code, statements }) => {
    const timeoutMs = code === 'query_timeout' ? 700 : 10_000;
    it.each(statements.map((sql) => ({ name: sql.slice(0, 120), sql: sql })))(
      '$name',
      async ({ sql }) => {
        const statement = filledIn(sql);
        const outcome = await outcomeOf(queries.run(statement, { timeoutMs, limit: 10_000 }));
        // On a slow machine an allocation may reach the time limit before the memory limit.
        const allowed = code === 'query_too_large' ? [code, 'query_timeout'] : [code];
        expect(allowed).toContain(outcome.code);
        expectNothingPrivate(outcome.message, statement);
      },
      60_000,
    );
  });

  describe('after all of it', () => {
    it('words unknown and foreign tables and refused functions alike', async () => {
      const shown = async (name: string, sql: string) =>
        (await outcomeOf(queries.run(sql))).message.replace(name, 'X');
      const unknown = await shown('nowhere', 'SELECT * FROM nowhere');
      expect(await shown('unlisted', 'SELECT * FROM unlisted')).toBe(unknown);
      expect(await shown('secrets', 'SELECT * FROM secrets')).toBe(unknown);
      expect(await shown('duckdb_secrets', 'SELECT * FROM duckdb_secrets()')).toBe(unknown);
      expect(await shown('no_such_function', 'SELECT no_such_function(1)')).toBe(unknown);
      expect(await shown('current_setting', "SELECT current_setting('x')")).toBe(unknown);
    });

    it('left the table as it was, and no file behind', async () => {
      const answer = await queries.run('SELECT count(*) AS n, sum(id)::BIGINT AS s FROM orders');
      expect(answer.rowsJson).toBe('[{"n":1000,"s":499500}]');
      expect((await objectsOfOwnPrefix()).filter((key) => key.includes('evil'))).toEqual([]);
    });

    it('cuts a million rows at the limit', async () => {
      const answer = await queries.run('SELECT range AS n FROM range(1000000)', { limit: 10_000 });
      expect(answer).toMatchObject({ rowCount: 10_000, truncated: true });
    });
  });
}
