import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { TestClient } from './workspace.ts';

/** A dataset of a connection, and its path in the API. */
export async function attach(client: TestClient, connection: string, resource: string, more: object = {}) {
  const body = { resource, name: resource, ...more };
  const made = await client.call('POST', `${connection}/datasets`, { body });
  expect(made.status, made.text).toBe(201);
  return { at: `${connection}/datasets/${made.body.data.id}`, dataset: made.body.data };
}

/** Starts a snapshot; returns its path. */
export async function startSnapshot(client: TestClient, at: string): Promise<string> {
  const started = await client.call('POST', `${at}/snapshots`);
  expect(started.status, started.text).toBe(202);
  expect(started.headers['location']).toBe(`${at}/snapshots/${started.body.data.id}`);
  return String(started.headers['location']);
}

/** The snapshot once its status is one of these. */
export async function untilStatus(client: TestClient, run: string, ...statuses: string[]) {
  for (;;) {
    const { body, text, status } = await client.call('GET', run);
    expect(status, text).toBe(200);
    if (statuses.includes(body.data.status)) return body.data;
    await setTimeout(50);
  }
}

export async function snapshotOf(client: TestClient, at: string) {
  return untilStatus(client, await startSnapshot(client, at), 'succeeded', 'failed', 'cancelled');
}

export async function rowsOf(client: TestClient, sql: string) {
  const { body, text, status } = await client.call('POST', '/v1/query-executions', { body: { sql } });
  expect(status, text).toBe(200);
  return body.data.rows;
}
