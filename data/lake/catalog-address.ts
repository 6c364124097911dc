import { identifier, literal } from './sql.ts';

/** Where the catalog's PostgreSQL is, how it is reached and as whom. */
export interface CatalogAddress {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  schema: string;
  /** libpq's options of TLS, by their names in a connection string. */
  tls: TlsOptions;
}

/** What a connection URL may say of TLS that the engine's libpq takes too. */
const tlsNames = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'] as const;

export type TlsOptions = Readonly<Partial<Record<(typeof tlsNames)[number], string>>>;

/**
 * The address that a connection URL gives, so that engines speak to the catalog by TLS where the URL asks for
 * it. The modes mean what libpq means by them: `require` encrypts and does not look whose certificate it is.
 */
export function addressOf(databaseUrl: string): Omit<CatalogAddress, 'schema'> {
  const url = new URL(databaseUrl);
  return {
    host: url.hostname,
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
  // Two words of our own sessions' driver that libpq does not know.
  if (mode === 'no-verify') options.set('sslmode', 'require');
  if (mode === undefined && ['true', '1'].includes(given.get('ssl') ?? ''))
    options.set('sslmode', 'verify-full');
  // Without a root certificate the driver takes those of the system, and libpq has to be told; it checks
  // names too then.
  if (options.get('sslmode')?.startsWith('verify-') && !options.has('sslrootcert')) {
    options.set('sslmode', 'verify-full').set('sslrootcert', 'system');
  }
  return Object.fromEntries(options);
}

/**
 * The statement that keeps the address in an engine: as a secret, so that no connection string can be
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
