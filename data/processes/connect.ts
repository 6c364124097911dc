import { readFileSync } from 'node:fs';
import { Client, type ClientOptions, Connection, type ConnectionOptions } from '@temporalio/client';

/**
 * How the workflows service is reached: a local one in the clear, a remote one with TLS and, mostly, an API
 * key.
 */
export interface TemporalSettings {
  address: string;
  namespace: string;
  apiKey: string | undefined;
  tls: boolean;
  /** Files in PEM. */
  serverCaPath: string | undefined;
  clientCertPath: string | undefined;
  clientKeyPath: string | undefined;
  /** The name that the server's certificate must have, where it is not that of the address. */
  serverName: string | undefined;
}

/** The same for the client of the API and for the worker's native one. */
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

/** A client that connects when it is first used. */
export function createTemporalClient(
  settings: TemporalSettings,
  interceptors: NonNullable<ClientOptions['interceptors']>,
): Client {
  const connection = Connection.lazy({
    ...temporalConnection(settings),
    // After an outage the next request should find the service again, not wait out a long back-off.
    channelArgs: { 'grpc.max_reconnect_backoff_ms': 1_000, 'grpc.initial_reconnect_backoff_ms': 200 },
  });
  return new Client({ connection, namespace: settings.namespace, interceptors });
}
