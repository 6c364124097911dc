import { expect } from 'vitest';
import { inOrganization } from '../../data/postgres/client.ts';
import { shaping } from './calculated.ts';
import { eventually } from './eventually.ts';
import type { TestClient, Workspace } from './workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Data = any;

/**
 * When the folders of an export are removed. The files of one that did not succeed are mostly removed at once, but
 * the store may complete one after that, so they are not looked at.
 */
export async function plannedRemovals(
  { deps }: Pick<Workspace, 'deps'>,
  { organizationId }: Pick<TestClient, 'organizationId'>,
  id: string,
): Promise<Date[]> {
  const planned = await inOrganization(deps.db, organizationId, (db) =>
    db.selectFrom('object_deletions').selectAll().where('object_key', 'like', `%/${id}/%/`).execute(),
  );
  return planned.map((one) => one.not_before);
}

/** Shorthands for exports of one client. */
export function exporting(client: Pick<TestClient, 'call'>) {
  const on = shaping(client);
  const isOver = (answer: { body: Data }) => answer.body.data.finishedAt !== null;
  const ended = async (path: string): Promise<Data> =>
    (await eventually(() => client.call('GET', path), isOver)).body.data;
  return {
    ...on,
    ended: (id: string) => ended(`/v1/exports/${id}`),
    async exported(body: object): Promise<Data> {
      return ended(`/v1/exports/${(await on.must('POST', '/v1/exports', 202, body)).id}`);
    },
    async download({ url }: { url: string }) {
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      return {
        bytes: Buffer.from(await answer.arrayBuffer()),
        disposition: answer.headers.get('content-disposition'),
        type: answer.headers.get('content-type'),
      };
    },
    async project(): Promise<string> {
      return (await on.must('POST', '/v1/projects', 201, { name: 'exports' })).id;
    },
    importEnded: (id: string) => ended(`/v1/table-imports/${id}`),
  };
}
