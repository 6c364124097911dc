import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';

/** What a PostgreSQL client sends first if it wants TLS. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export interface TlsFront {
  port: number;
  /** The number of connections that use TLS. */
  secured(): number;
  close(): Promise<void>;
}

/** A PostgreSQL server with TLS and a self-signed certificate, in front of one without TLS. */
export async function startTlsFront(behindPort: number): Promise<TlsFront> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-'));
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', key, '-out', cert],
    ],
    { stdio: 'ignore' },
  );
  const secureContext = createSecureContext({ key: readFileSync(key), cert: readFileSync(cert) });
  await rm(folder, { recursive: true, force: true });
  const open = new Set<Socket>();
  let secured = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (first) => {
      if (!sslRequest.equals(first)) return socket.destroy();
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      secure.on('error', () => socket.destroy());
      secure.once('secure', () => {
        secured += 1;
        const behind = connect(behindPort, '127.0.0.1');
        open.add(behind);
        behind.on('error', () => socket.destroy());
        secure.pipe(behind).pipe(secure);
      });
      return socket;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    secured: () => secured,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
