import { attachStatements, objectStoreSecret, readOnly } from '../../../data/lake/attach.ts';
import type { CatalogAddress, TlsOptions } from '../../../data/lake/catalog-address.ts';
import { identifier } from '../../../data/lake/sql.ts';
import type { ObjectStoreSettings } from '../../../data/objects/settings.ts';

/** Where holders of credentials reach the stores. */
export interface LakeAddresses {
  databaseUrl: string;
  objectStore: ObjectStoreSettings;
}

export function lakeAddresses({
  databasePublicUrl,
  objectStore,
}: {
  databasePublicUrl: string | undefined;
  objectStore: ObjectStoreSettings;
}): LakeAddresses | undefined {
  return databasePublicUrl === undefined ? undefined : { databaseUrl: databasePublicUrl, objectStore };
}

const extensions = ['ducklake', 'postgres', 'httpfs'];

/**
 * What is pasted into DuckDB, a statement a line: extensions, secrets, and the lake under the name of its
 * schema, which is then the default. The settings have the credential's own secrets.
 */
export function attachSql(catalog: CatalogAddress, objects: ObjectStoreSettings, dataPath: string): string {
  const lake = catalog.schema;
  const statements = [
    ...extensions.flatMap((extension) => [`INSTALL ${extension}`, `LOAD ${extension}`]),
    // A process of many threads would want more connections than a role may have; with these, two fit.
    `SET GLOBAL pg_pool_acquire_mode = 'wait'`,
    'SET GLOBAL pg_pool_max_connections = 4',
    objectStoreSecret(`${lake}_objects`, objects, dataPath),
    ...attachStatements({ catalog, dataPath }, lake, readOnly),
    `USE ${identifier(lake)}`,
  ];
  return statements.map((statement) => `${statement};\n`).join('');
}

/** Files named by the service's own connection are not there elsewhere; the mode stays. */
export function tlsElsewhere({ sslmode, sslrootcert, sslnegotiation }: TlsOptions): TlsOptions {
  return {
    ...(sslmode === undefined ? {} : { sslmode }),
    ...(sslrootcert === 'system' ? { sslrootcert } : {}),
    ...(sslnegotiation === undefined ? {} : { sslnegotiation }),
  };
}

/** A connection URL of PostgreSQL. */
export function databaseUrl({ host, port, database, user, password, tls }: CatalogAddress): string {
  const url = new URL(`postgresql://${host.includes(':') ? `[${host}]` : host}:${port}`);
  url.username = user;
  url.password = password;
  url.pathname = `/${encodeURIComponent(database)}`;
  for (const [name, value] of Object.entries(tls)) url.searchParams.set(name, value);
  return url.href;
}
