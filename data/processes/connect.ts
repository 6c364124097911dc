import { readFileSync } from 'node:fs';
import { Client, type ClientOptions, Connection, type ConnectionOptions } from '@temporalio/client';

/**
 * How to reach the workflows service: a local one without TLS, a remote one with TLS and usually an API key.
 */
export interface TemporalSettings {
  address: string;
  namespace: string;
  apiKey: string | undefined;
  tls: boolean;
  /** PEM files. */
  serverCaPath: string | undefined;
  clientCertPath: string | undefined;
  clientKeyPath: string | undefined;
  /** The expected name in the server's certificate, if it differs from the address. */
  serverName: string | undefined;
}

/** Connection options for both the API's client and the worker's native connection. */
export function temporalConnection(settings: TemporalSettings): {
  address: string;
  apiKey?: string;
  tls?: Exclude<ConnectionOptions['tls'], boolean | null | undefined>;
} {
  const { address, apiKey, tls, serverCaPath, clientCertPath, clientKeyPath, serverName } = settings;
  if (!tls) return { address };
  return {
    address,
    ...(apiKey === undefined ? {} : { apiKey }),
    tls: {
      ...(serverCaPath === undefined ? {} : { serverRootCACertificate: readFileSync(serverCaPath) }),
      ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
      ...(clientCertPath === undefined || clientKeyPath === undefined
        ? {}
        : { clientCertPair: { crt: readFileSync(clientCertPath), key: readFileSync(clientKeyPath) } }),
    },
  };
}

/** A client that connects on first use. */
export function createTemporalClient(
  settings: TemporalSettings,
  interceptors: NonNullable<ClientOptions['interceptors']>,
): Client {
  const connection = Connection.lazy({
    ...temporalConnection(settings),
    // After an outage the next request should reach the service again, instead of waiting out a long
    // back-off.
    channelArgs: { 'grpc.max_reconnect_backoff_ms': 1_000, 'grpc.initial_reconnect_backoff_ms': 200 },
  });
  return new Client({ connection, namespace: settings.namespace, interceptors });
}
