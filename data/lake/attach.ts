import type { ObjectStoreSettings } from '../objects/settings.ts';
import { catalogSecret } from './catalog-address.ts';
import type { LakeLocation } from './location.ts';
import { identifier, literal } from './sql.ts';

/** The statement that gives an engine access to what is below `scope`, an `s3://` address. */
export function objectStoreSecret(
  name: string,
  { endpoint, region, accessKeyId, secretAccessKey }: ObjectStoreSettings,
  scope: string,
): string {
  const options = [
    'TYPE s3',
    `KEY_ID ${literal(accessKeyId)}`,
    `SECRET ${literal(secretAccessKey)}`,
    `REGION ${literal(region)}`,
    `SCOPE ${literal(scope)}`,
  ];
  if (endpoint !== undefined) {
    const { protocol, host, pathname } = new URL(endpoint);
    options.push(`ENDPOINT ${literal(host + pathname.replace(/\/$/, ''))}`);
    options.push(`USE_SSL ${protocol === 'https:'}`, `URL_STYLE 'path'`);
  }
  return `CREATE OR REPLACE SECRET ${identifier(name)} (${options.join(', ')})`;
}

/** The statements that attach a lake through secrets, so that no connection string can ever be printed. */
export function attachStatements(
  { catalog, dataPath }: Pick<LakeLocation, 'catalog' | 'dataPath'>,
  alias: string,
  options: string,
): string[] {
  const postgresSecret = `${alias}_catalog`;
  const lakeOptions = [
    'TYPE ducklake',
    "METADATA_PATH ''",
    `DATA_PATH ${literal(dataPath)}`,
    `METADATA_SCHEMA ${literal(catalog.schema)}`,
    // The inner schema is all that is then read of PostgreSQL's own catalog, which has every lake's tables.
    `METADATA_PARAMETERS MAP {'TYPE': 'postgres', 'SECRET': ${literal(postgresSecret)}, 'SCHEMA': ${literal(catalog.schema)}}`,
  ];
  return [
    catalogSecret(postgresSecret, catalog),
    `CREATE OR REPLACE SECRET ${identifier(alias)} (${lakeOptions.join(', ')})`,
    `ATTACH ${literal(`ducklake:${alias}`)} AS ${identifier(alias)} (${options})`,
  ];
}

/** For whoever only reads, and creates no lake where there is none. */
export const readOnly = 'READ_ONLY, CREATE_IF_NOT_EXISTS false';
