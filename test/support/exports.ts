import { expect } from 'vitest';
import { shaping } from './calculated.ts';
import { eventually } from './eventually.ts';
import type { TestClient } from './workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Data = any;

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
