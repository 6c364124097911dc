import type pg from 'pg';
import {
  countTablesQuery,
  findCatalogQuery,
  otherTablesQuery,
} from '../../../../data/lake/ducklake/other-lakes.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { withPostgres } from './postgres-session.ts';
import { s3Source } from './s3.ts';
import type { SourceColumn, SourceKind, SourceResource, SourceTarget } from './source.ts';

interface ListedTable {
  resource: string;
  name: string;
  estimated_rows: number | null;
  columns: SourceColumn[] | null;
}

/** Location of a lake's files. @throws RemoteFailure if there is no bucket */
export function lakeFiles({ config }: SourceTarget): { bucket: string; prefix: string } {
  const path = String(config['data_path']);
  if (path.startsWith('s3://')) {
    const [bucket = '', ...folders] = path.slice('s3://'.length).split('/');
    return { bucket, prefix: folders.join('/') };
  }
  if (config['bucket'] === undefined)
    throw new RemoteFailure(
      'request',
      "Data path doesn't begin with s3://, and Bucket isn't set. Set Bucket, or write the full address in Data path.",
    );
  const folder = String(config['prefix'] ?? '').replace(/\/$/, '');
  return { bucket: String(config['bucket']), prefix: folder === '' ? path : `${folder}/${path}` };
}

/** The schema of the catalog, quoted if necessary. @throws RemoteFailure if there is none */
export async function catalogOf(client: pg.Client, target: SourceTarget): Promise<string> {
  const name = String(target.setting('metadata_schema'));
  const { rows } = await client.query<{ schema: string; found: boolean }>(findCatalogQuery, [name]);
  const { schema, found } = rows[0]!;
  if (!found) throw new RemoteFailure('request', `The metadata schema ${name} contains no DuckLake.`);
  return schema;
}

export const ducklakeSource: SourceKind = {
  async test(target, signal) {
    const { bucket, prefix } = lakeFiles(target);
    await withPostgres(target, signal, async (client) => {
      await client.query(countTablesQuery(await catalogOf(client, target)));
    });
    await s3Source.test({ ...target, config: { ...target.config, bucket, prefix } }, signal);
  },
  resources: (target, { prefix, after, limit }, signal) =>
    withPostgres(target, signal, async (client) => {
      const statement = otherTablesQuery(await catalogOf(client, target));
      const { rows } = await client.query<ListedTable>(statement, [prefix, after ?? null, limit + 1]);
      return rows.map(
        ({ resource, name, estimated_rows, columns }): SourceResource => ({
          resource,
          name,
          kind: 'table',
          columns: columns ?? [],
          estimatedRows: estimated_rows,
          keyColumns: [],
        }),
      );
    }),
};
