import { randomUUID } from 'node:crypto';
import { DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import type { LakeLocation } from '../../../../data/lake/location.ts';
import type { ObjectStoreSettings } from '../../../../data/objects/settings.ts';
import { testStores } from '../../../support/stores.ts';

export interface TestLake {
  location: LakeLocation;
  objectStore: ObjectStoreSettings;
  extensionDir: string | undefined;
  /** Runs statements as the lake's writer; tables are `lake.main.<name>`. */
  runAsWriter(sql: string): Promise<void>;
  /** A statement's rows as JSON shows them. */
  readAsWriter(sql: string): Promise<unknown[][]>;
  /** Ends the reader's connections to the catalog, as a restart of PostgreSQL does. */
  dropCatalogConnections(): Promise<number>;
  close(): Promise<void>;
}

const { databaseUrl, extensionDir, objectStore } = testStores();
export const testExtensionDir = extensionDir;

/** A separate lake: schema, prefix and a role that can read only it, created as the service does. */
export async function openTestLake(): Promise<TestLake> {
  const id = `q${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  const schema = `lake_${id}`;
  const user = `reader_${id}`;
  const url = new URL(databaseUrl);
  const dataPath = `s3://${objectStore.bucket}/test-lakes/${id}/`;
  const admin = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  await admin.query(`CREATE SCHEMA ${schema}`);
  await admin.query(`CREATE ROLE ${user} LOGIN PASSWORD 'reader'`);
  await admin.query(`GRANT USAGE ON SCHEMA ${schema} TO ${user}`);
  await admin.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${user}`);

  const instance = await DuckDBInstance.create(':memory:');
  const writer = await instance.connect();
  for (const name of ['ducklake', 'postgres_scanner', 'httpfs', 'icu', 'json', 'tpch']) {
    await writer.run(`LOAD '${testExtensionDir}/${name}.duckdb_extension'`);
  }
  const { host, protocol } = new URL(objectStore.endpoint ?? '');
  await writer.run(`CREATE SECRET (TYPE s3, KEY_ID '${objectStore.accessKeyId}',
    SECRET '${objectStore.secretAccessKey}', REGION '${objectStore.region}', ENDPOINT '${host}',
    USE_SSL ${protocol === 'https:'}, URL_STYLE 'path')`);
  await writer.run(`CREATE SECRET pgs (TYPE postgres, HOST '${url.hostname}', PORT ${url.port || 5432},
    DATABASE '${url.pathname.slice(1)}', USER '${url.username}', PASSWORD '${url.password}')`);
  await writer.run(`CREATE SECRET lk (TYPE ducklake, METADATA_PATH '', DATA_PATH '${dataPath}',
    METADATA_SCHEMA '${schema}', METADATA_PARAMETERS MAP {'TYPE': 'postgres', 'SECRET': 'pgs'})`);
  await writer.run(`ATTACH 'ducklake:lk' AS lake (DATA_INLINING_ROW_LIMIT 100)`);

  return {
    location: {
      organizationId: `org_${id}`,
      catalog: {
        host: url.hostname,
        port: Number(url.port || 5432),
        database: url.pathname.slice(1),
        user,
        password: 'reader',
        schema,
        tls: {},
      },
      dataPath,
    },
    objectStore,
    extensionDir: testExtensionDir,
    runAsWriter: async (sql) => {
      await writer.run(sql);
    },
    readAsWriter: async (sql) => (await writer.runAndReadAll(sql)).getRowsJson(),
    dropCatalogConnections: async () => {
      const ended = await admin.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1',
        [user],
      );
      return ended.rowCount ?? 0;
    },
    close: async () => {
      writer.closeSync();
      instance.closeSync();
      await admin.query(`DROP SCHEMA ${schema} CASCADE`);
      await admin.query(`DROP OWNED BY ${user}`);
      await admin.query(`DROP ROLE ${user}`);
      await admin.end();
    },
  };
}
