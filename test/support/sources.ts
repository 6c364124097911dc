import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { TestClient } from './workspace.ts';

const url = '/v1/connections/data';

/** A connection, and its path in the API. */
export async function connect(
  client: TestClient,
  type: string,
  config: object,
  more: object = {},
): Promise<string> {
  const body = { name: `Source ${randomUUID()}`, type, config, ...more };
  const made = await client.call('POST', url, { body });
  expect(made.status, made.text).toBe(201);
  return `${url}/${made.body.data.id}`;
}

/** The result of a connection's test. Secrets of tests have recognizable names. */
export async function tested(client: TestClient, at: string) {
  const { status, body, text } = await client.call('POST', `${at}/test`);
  expect(status, text).toBe(200);
  expect(text).not.toMatch(/a-secret-/);
  return body.data;
}

export function list(client: TestClient, at: string, body: object = {}) {
  return client.call('POST', `${at}/resources`, { body });
}

/** The port of a server, once it listens. */
export function listening(server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** A server with this handler until the test is over, and the requests it received. */
export async function httpServer(
  answer: RequestListener,
): Promise<{ base: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  const port = await listening(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { base: `http://127.0.0.1:${port}`, requests };
}
