import { identifier, literal } from './sql.ts';

/** How to reach the catalog's PostgreSQL, and as which user. */
export interface CatalogAddress {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  schema: string;
  /** libpq's TLS options, by their connection-string names. */
  tls: TlsOptions;
}

/** TLS options of a connection URL that the engine's libpq also accepts. */
const tlsNames = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'] as const;

export type TlsOptions = Readonly<Partial<Record<(typeof tlsNames)[number], string>>>;

/**
 * Parses a connection URL, so that engines connect to the catalog with TLS where the URL asks for it. The
 * modes have libpq's meaning: `require` encrypts and does not verify the certificate.
 */
export function addressOf(databaseUrl: string): Omit<CatalogAddress, 'schema'> {
  const url = new URL(databaseUrl);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 5432 : Number(url.port),
    database: decodeURIComponent(url.pathname.slice(1)),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    tls: tlsOf(url.searchParams),
  };
}

function tlsOf(given: URLSearchParams): TlsOptions {
  const options = new Map(
    tlsNames.flatMap((name) => {
      const value = given.get(name);
      return value === null || value === '' ? [] : [[name, value] as const];
    }),
  );
  const mode = options.get('sslmode');
  // Two settings of the driver of our own sessions that libpq does not know.
  if (mode === 'no-verify') options.set('sslmode', 'require');
  if (mode === undefined && ['true', '1'].includes(given.get('ssl') ?? ''))
    options.set('sslmode', 'verify-full');
  // Without a root certificate the driver uses the system's, but libpq needs a setting; libpq then also
  // verifies the host name.
  if (options.get('sslmode')?.startsWith('verify-') && !options.has('sslrootcert')) {
    options.set('sslmode', 'verify-full').set('sslrootcert', 'system');
  }
  return Object.fromEntries(options);
}

/**
 * The statement that stores the address in an engine as a secret, so that no connection string can be
 * printed.
 */
export function catalogSecret(name: string, catalog: CatalogAddress): string {
  const { host, port, database, user, password, tls } = catalog;
  const options = [
    `HOST ${literal(host)}`,
    `PORT ${port}`,
    `DATABASE ${literal(database)}`,
    `USER ${literal(user)}`,
    `PASSWORD ${literal(password)}`,
    ...tlsNames.flatMap((option) =>
      tls[option] === undefined ? [] : [`${option.toUpperCase()} ${literal(tls[option])}`],
    ),
  ];
  return `CREATE OR REPLACE SECRET ${identifier(name)} (TYPE postgres, ${options.join(', ')})`;
}
