import { isIP, type Socket } from 'node:net';
import {
  type Connection,
  type ConnectionOptions,
  createConnection,
  type RowDataPacket,
} from 'mysql2/promise';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import type { StageOf } from '../failure.ts';
import { tlsOf } from './postgres-session.ts';
import { type SessionOptions, type SourceServer, serverOf, shortSession, workUntil } from './sockets.ts';
import type { SourceKind, SourceResource, SourceTarget } from './source.ts';
import { stopStatement } from './stop-statement.ts';

/** Logs in over a connection to a checked address and runs `work`. */
export async function withMysql<T>(
  target: SourceTarget,
  signal: AbortSignal,
  /**
   * The server's `over` rejects when the connection ends, because the driver does not fail every query then.
   */
  work: (connection: Connection, server: SourceServer) => Promise<T>,
  { statementTimeoutMs, limits }: SessionOptions = shortSession,
): Promise<T> {
  const tls = tlsOf(target);
  const server = await serverOf(target, signal, limits);
  const { host, socket, over, release } = server;
  if (tls !== false && tls.rejectUnauthorized && isIP(host) !== 0) {
    release();
    throw new RemoteFailure(
      'tls',
      "TLS mode verify_full needs the host name that is in the server's certificate, not an IP address.",
    );
  }
  let connection: Connection | undefined;
  try {
    const session = await Promise.race([createConnection(loginOf(target, server, socket)), over]);
    connection = session;
    session.on('error', () => undefined);
    server.isIn();
    const stop = async (error: unknown) => {
      // A statement that the server failed has ended.
      if (isOfServer(error)) return;
      await stopStatement(server, (beside) => killQuery(loginOf(target, server, beside), session.threadId));
    };
    const working = limitStatements(session, statementTimeoutMs).then(() => work(session, server));
    return await workUntil(over, working, release, stop);
  } finally {
    connection?.destroy();
    release();
  }
}

function loginOf(target: SourceTarget, { host, port }: SourceServer, socket: Socket): ConnectionOptions {
  const tls = tlsOf(target);
  return {
    // The driver accepts a socket that is still connecting; it uses `host` as the server name for TLS.
    stream: () => socket.connect(port, host),
    host,
    port,
    database: String(target.config['database']),
    user: String(target.config['user']),
    password: target.secrets['password'] ?? '',
    ...(tls === false ? {} : { ssl: { ...tls, verifyIdentity: tls.rejectUnauthorized } }),
    // A malicious server must not be able to request files of this machine.
    flags: ['-LOCAL_FILES'],
    charset: 'utf8mb4',
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
  };
}

/**
 * MySQL and MariaDB name the setting differently, and each skips the other's comment. A server with neither
 * is limited by the service alone.
 */
async function limitStatements(connection: Connection, timeoutMs: number): Promise<void> {
  const mysql = `/*!50708 SESSION max_execution_time = ${timeoutMs}, */`;
  const mariadb = `/*M!100101 SESSION max_statement_time = ${timeoutMs / 1_000}, */`;
  const statement = `SET ${mysql} ${mariadb} SESSION time_zone = @@session.time_zone`;
  await connection.query(statement).catch((error: unknown) => {
    if (!isOfServer(error)) throw error;
  });
}

const isOfServer = (error: unknown): boolean =>
  error instanceof Error && 'sqlState' in error && typeof error.sqlState === 'string';

async function killQuery(login: ConnectionOptions, threadId: number): Promise<void> {
  const connection = await createConnection(login);
  connection.on('error', () => undefined);
  await connection.query(`KILL QUERY ${threadId}`);
}

const loginCodes = ['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR'];
const loginMore = [
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
  'ER_HOST_NOT_PRIVILEGED',
  'AUTH_SWITCH_PLUGIN_ERROR',
];
/** Shut down, out of connections, or a lock timeout: transient errors. */
const awayCodes = [
  'PROTOCOL_CONNECTION_LOST',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_LOCK_WAIT_TIMEOUT',
];
const permissionCodes = [
  'ER_TABLEACCESS_DENIED_ERROR',
  'ER_COLUMNACCESS_DENIED_ERROR',
  'ER_SPECIFIC_ACCESS_DENIED_ERROR',
];

export const mysqlStage: StageOf = (code) => {
  if (loginCodes.includes(code) || loginMore.includes(code)) return 'login';
  if (permissionCodes.includes(code)) return 'permission';
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT' || code === 'HANDSHAKE_SSL_ERROR') return 'tls';
  return awayCodes.includes(code) ? 'connect' : undefined;
};

const tablesStatement = `
  SELECT table_name AS name, table_type AS type, table_rows AS estimated
  FROM information_schema.tables
  WHERE table_schema = DATABASE() AND LEFT(CAST(table_name AS BINARY), LENGTH(?)) = CAST(? AS BINARY)
    AND (? IS NULL OR CAST(table_name AS BINARY) > CAST(? AS BINARY))
  ORDER BY CAST(table_name AS BINARY) LIMIT ?`;

const columnsStatement = `
  SELECT table_name AS \`table\`, column_name AS name, column_type AS type, is_nullable AS nullable, column_key AS \`key\`
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name IN (?)
  ORDER BY table_name, ordinal_position`;

const keysStatement = `
  SELECT table_name AS \`table\`, column_name AS name FROM information_schema.statistics
  WHERE table_schema = DATABASE() AND index_name = 'PRIMARY' AND table_name IN (?)
  ORDER BY table_name, seq_in_index`;

export const mysqlSource: SourceKind = {
  test: (target, signal) =>
    withMysql(target, signal, async (connection) => {
      await connection.query(
        'SELECT count(*) FROM information_schema.tables WHERE table_schema = DATABASE()',
      );
    }),
  resources: (target, { prefix, after = null, limit }, signal) =>
    withMysql(target, signal, async (connection) => {
      const [tables] = await connection.query<RowDataPacket[]>(tablesStatement, [
        ...[prefix, prefix, after, after],
        limit + 1,
      ]);
      if (tables.length === 0) return [];
      const names = tables.map(({ name }) => String(name));
      const [columns] = await connection.query<RowDataPacket[]>(columnsStatement, [names]);
      const [keys] = await connection.query<RowDataPacket[]>(keysStatement, [names]);
      const of = (rows: RowDataPacket[], table: string) => rows.filter((row) => row['table'] === table);
      return tables.map(({ type, estimated }, index): SourceResource => {
        const name = names[index]!;
        return {
          resource: name,
          name,
          kind: type === 'BASE TABLE' ? 'table' : 'view',
          columns: of(columns, name).map((column) => ({
            name: String(column['name']),
            dataType: String(column['type']),
            nullable: column['nullable'] === 'YES',
          })),
          estimatedRows: estimated === null ? null : Number(estimated),
          keyColumns: of(keys, name).map((key) => String(key['name'])),
        };
      });
    }),
};
