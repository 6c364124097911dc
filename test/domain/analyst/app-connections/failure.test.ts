import { expect, test } from 'vitest';
import { createRedaction } from '../../../../data/outgoing/redaction.ts';
import { appFailure } from '../../../../domain/analyst/app-connections/failure.ts';

const fetchFailed = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('sk-secret'), { code }) });

test.each([
  ['ECONNREFUSED', 'connect', 'The server refused the connection: nothing listens on that port.'],
  ['ENOTFOUND', 'connect', 'The name of the server cannot be resolved.'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect', 'The server did not answer in time.'],
  ['ECONNRESET', 'connect', 'The server ended the connection.'],
  ['EHOSTUNREACH', 'connect', 'No way leads to the server.'],
  ['UND_ERR_SOCKET', 'connect', 'The server cannot be reached, or ended the connection (UND_ERR_SOCKET).'],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'tls',
    'A secure connection to the server cannot be made (DEPTH_ZERO_SELF_SIGNED_CERT).',
  ],
  ['CERT_HAS_EXPIRED', 'tls', 'A secure connection to the server cannot be made (CERT_HAS_EXPIRED).'],
])('%s is told at its stage, in its words', (code, stage, message) => {
  expect(appFailure(fetchFailed(code), createRedaction([]))).toMatchObject({ stage, message });
});
