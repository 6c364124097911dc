import { expect, test } from 'vitest';
import { createRedaction } from '../../../../data/outgoing/redaction.ts';
import { appFailure } from '../../../../domain/analyst/app-connections/failure.ts';

const fetchFailed = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('sk-secret'), { code }) });

test.each([
  ['ECONNREFUSED', 'connect', 'The server refused the connection. Nothing listens on that port.'],
  ['ENOTFOUND', 'connect', "The name of the server couldn't be resolved."],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect', "The server didn't answer in time."],
  ['ECONNRESET', 'connect', 'The server closed the connection.'],
  ['EHOSTUNREACH', 'connect', 'There is no network route to the server.'],
  [
    'UND_ERR_SOCKET',
    'connect',
    "The service couldn't reach the server, or the server closed the connection (UND_ERR_SOCKET).",
  ],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'tls',
    "The service couldn't make a secure connection to the server (DEPTH_ZERO_SELF_SIGNED_CERT).",
  ],
  [
    'CERT_HAS_EXPIRED',
    'tls',
    "The service couldn't make a secure connection to the server (CERT_HAS_EXPIRED).",
  ],
])('%s is told at its stage, in its words', (code, stage, message) => {
  expect(appFailure(fetchFailed(code), createRedaction([]))).toMatchObject({ stage, message });
});
