import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { newId } from '../../../data/ids.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import type { ProcessStart } from '../../../data/postgres/process-starts.ts';
import { createProcesses, startRecorded } from '../../../data/processes/processes.ts';
import { findProject, insertProject } from '../../../domain/workspace/projects/projects.ts';
import { useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const refusal = Object.assign(new Error('the namespace is not known'), {
  code: 5,
  details: '',
  metadata: {},
});

/** Answers starts in the given order, each when it is told to. */
function temporal(answers: readonly (() => Promise<void>)[]): Client {
  const left = [...answers];
  return {
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    workflow: { start: () => left.shift()!() },
  } as unknown as Client;
}

const startOf = ({ id }: { id: string }): ProcessStart => ({
  workflowId: `test/${id}`,
  workflowType: 'test',
  taskQueue: 'test',
  argument: {},
  searchAttributes: {},
  memo: {},
  summary: 'A test',
});

/** Two requests for the same row; both have looked for it before either creates it. */
async function twoRequests(client: Client) {
  const { db } = workspace.deps;
  const { organizationId } = await workspace.organization();
  const processes = createProcesses(db, client, { isRemote: true });
  const id = newId('prj');
  const bothLooked = Promise.withResolvers<void>();
  let looks = 0;
  const request = () =>
    startRecorded({ db, processes }, organizationId, {
      find: async (transaction) => {
        const found = await findProject(transaction, organizationId, id);
        looks += 1;
        if (looks === 2) bothLooked.resolve();
        await bothLooked.promise;
        return found;
      },
      make: (transaction) => insertProject(transaction, { organization_id: organizationId, id, name: 'One' }),
      startOf,
      undo: (transaction) => transaction.deleteFrom('projects').where('id', '=', id).execute(),
    });
  const row = () =>
    inOrganization(db, organizationId, (transaction) => findProject(transaction, organizationId, id));
  return { results: await Promise.allSettled([request(), request()]), row };
}

test('a request whose start is refused takes nothing back that another one made and started', async () => {
  const started = Promise.withResolvers<void>();
  const client = temporal([
    async () => started.resolve(),
    async () => {
      await started.promise;
      throw refusal;
    },
  ]);
  const { results, row } = await twoRequests(client);
  const accepted = results.filter(({ status }) => status === 'fulfilled');
  expect(accepted.length === 0).toBe((await row()) === undefined);
});

test('the one that made it takes nothing back either once the other one got it started', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const client = temporal([
    async () => {
      await promise;
      throw refusal;
    },
    async () => resolve(),
  ]);
  const { results, row } = await twoRequests(client);
  const accepted = results.filter(({ status }) => status === 'fulfilled');
  expect(accepted.length === 0).toBe((await row()) === undefined);
});

test('two of which neither is started leave nothing, and are told to come again', async () => {
  const refuse = async () => {
    throw refusal;
  };
  const { results, row } = await twoRequests(temporal([refuse, refuse]));
  for (const result of results)
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'workflows_unavailable' } });
  expect(await row()).toBeUndefined();
});

test('a request that finds the row of another starts nothing that has started, and takes nothing back', async () => {
  const { db } = workspace.deps;
  const { organizationId } = await workspace.organization();
  const processes = createProcesses(db, temporal([]), { isRemote: true });
  const id = newId('prj');
  const find = () =>
    inOrganization(db, organizationId, (transaction) => findProject(transaction, organizationId, id));
  // Its process runs for so long that the outbox no longer knows it.
  await inOrganization(db, organizationId, (transaction) =>
    insertProject(transaction, { organization_id: organizationId, id, name: 'One' }),
  );
  const { row, isNew } = await startRecorded({ db, processes }, organizationId, {
    find: async () => undefined,
    make: async (transaction) => (await findProject(transaction, organizationId, id))!,
    isEarlier: () => true,
    startOf,
    undo: (transaction) => transaction.deleteFrom('projects').where('id', '=', id).execute(),
  });
  expect([row.id, isNew]).toEqual([id, false]);
  expect(await find()).toBeDefined();
});
