import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { openTestLake, type TestLake } from '../domain/tables/query/lab.ts';
import { attach, rowsOf, snapshotOf } from './snapshots.ts';
import { connect } from './sources.ts';
import type { TestClient } from './workspace.ts';

export interface Changes {
  config?: Record<string, unknown>;
  secrets?: Record<string, unknown>;
}

/** Page size of a query's answer. */
const pageRows = 100;

/** Another lake as a source of datasets; commits of at most 100 rows are inlined in its catalog. */
export function useOtherLake() {
  let lake: TestLake;
  let catalog: pg.Pool;
  beforeAll(async () => {
    lake = await openTestLake();
    await lake.runAsWriter("SET TimeZone = 'UTC'");
    catalog = new pg.Pool({ connectionString: process.env['DATABASE_URL']! });
  });
  afterAll(async () => {
    await catalog.end();
    await lake.close();
  });

  async function copied(client: TestClient, resource: string, { config, secrets }: Changes = {}) {
    const { catalog: address } = lake.location;
    const { endpoint, region, accessKeyId, secretAccessKey } = lake.objectStore;
    const at = await connect(
      client,
      'ducklake',
      {
        ...{ host: '127.0.0.1', port: address.port, database: address.database, user: address.user },
        ...{ ssl_mode: 'disable', metadata_schema: address.schema, data_path: lake.location.dataPath },
        ...{ endpoint, region, path_style: true },
        ...config,
      },
      {
        secrets: {
          password: address.password,
          ...{ access_key_id: accessKeyId, secret_access_key: secretAccessKey },
          ...secrets,
        },
        snapshot_config: { enabled: true },
      },
    );
    const { at: dataset, dataset: row } = await attach(client, at, resource);
    const run = await snapshotOf(client, dataset);
    expect(JSON.stringify(run)).not.toContain(String(secrets?.['secret_access_key'] ?? secretAccessKey));
    return { run, table: `"${row.snapshotTableName}"`, dataset };
  }

  return {
    get location() {
      return lake.location;
    },
    run: (sql: string) => lake.runAsWriter(sql),
    /** Rows of its catalog. */
    async inCatalog(sql: string) {
      const client = await catalog.connect();
      try {
        await client.query(`SET search_path = ${lake.location.catalog.schema}`);
        return (await client.query(sql)).rows;
      } finally {
        client.release(true);
      }
    },
    copied,
    async failureOf(client: TestClient, resource: string, changes: Changes = {}) {
      const { run } = await copied(client, resource, changes);
      expect(run.status).toBe('failed');
      expect(run.error.code).toBe('source_failed');
      return run.error as { stage: string; message: string };
    },
    /**
     * The rows of both, as sorted lists of texts. A term is SQL for a column, the same in both, or whatever
     * gives a text of the same form.
     */
    async both(client: TestClient, name: string, table: string, terms: Record<string, Term>) {
      const list = (side: 0 | 1) =>
        Object.entries(terms)
          .map(
            ([key, term]) => `CAST(${typeof term === 'string' ? term : term[side]} AS VARCHAR) AS "${key}"`,
          )
          .join(', ');
      const theirs = await lake.readAsWriter(`SELECT ${list(0)} FROM lake.main.${name} ORDER BY ALL`);
      const ours = [];
      for (let page = []; ours.length === 0 || page.length === pageRows; ours.push(...page))
        page = await rowsOf(
          client,
          `SELECT ${list(1)} FROM ${table} ORDER BY ALL LIMIT ${pageRows} OFFSET ${ours.length}`,
        );
      const names = Object.keys(terms);
      return { theirs, ours: ours.map((row) => names.map((one) => row[one])) };
    },
  };
}

/** In the other lake, and in ours. */
export type Term = string | [string, string];

/** For a value with nested ones: ours is JSON. */
export const nested = (column: string): Term => [`to_json(${column})`, column];
