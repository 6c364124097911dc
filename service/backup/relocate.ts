import { moveLake } from '../../data/lake/ducklake/move.ts';
import { inTransaction, withOwner } from './owner.ts';

/** A lake whose files are not in the configured bucket. */
export interface StrayLake {
  organizationId: string;
  schema: string;
  bucket: string;
}

/** Lakes whose files are in another bucket than `bucket`. */
export async function strayLakes(databaseUrl: string, bucket: string): Promise<StrayLake[]> {
  return withOwner(databaseUrl, async (client) => {
    const { rows } = await client.query<{ organization: string; schema: string; path: string }>(
      `SELECT organization_id AS organization, schema_name AS schema, data_path AS path FROM lakes
       WHERE NOT starts_with(data_path, 's3://' || $1 || '/') ORDER BY organization_id`,
      [bucket],
    );
    return rows.map(({ organization, schema, path }) => ({
      organizationId: organization,
      schema,
      bucket: /^s3:\/\/([^/]+)\//.exec(path)?.[1] ?? path,
    }));
  });
}

/**
 * Makes the lakes read and write their files in the configured bucket, to which they were copied under the
 * same keys. No process of the service may run meanwhile. Safe to repeat: each lake is one transaction.
 */
export async function relocate(
  { databaseUrl, objectStore: { bucket } }: { databaseUrl: string; objectStore: { bucket: string } },
  onMoved: (lake: StrayLake) => void,
): Promise<number> {
  const stray = await strayLakes(databaseUrl, bucket);
  await withOwner(databaseUrl, async (client) => {
    for (const lake of stray) {
      await inTransaction(client, async () => {
        await moveLake(client, lake.schema, { from: lake.bucket, to: bucket });
        await client.query(
          `UPDATE lakes SET data_path = 's3://' || $2 || substr(data_path, length('s3://' || $3) + 1) WHERE schema_name = $1`,
          [lake.schema, bucket, lake.bucket],
        );
      });
      onMoved(lake);
    }
  });
  return stray.length;
}
