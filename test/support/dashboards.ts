import { expect } from 'vitest';
import type { TestClient } from './workspace.ts';

/** Saved queries and dashboards of a project, as an API client makes them. */
export function dashboardsOf(client: Pick<TestClient, 'call'>, project: () => string) {
  const create = async (what: 'queries' | 'dashboards', body: object): Promise<string> => {
    const made = await client.call('POST', `/v1/projects/${project()}/${what}`, { body });
    expect(made.status, made.text).toBe(201);
    return made.body.data.id;
  };
  return {
    query: (sql: string, more: object = {}) => create('queries', { name: 'Q', sql, ...more }),
    dashboard: (body: object) => create('dashboards', { name: 'Sales', ...body }),
  };
}
