import { expect, test } from 'vitest';
import { expectEventually } from '../../../support/eventually.ts';
import { recordPolicy, recordSource } from '../../../support/replication-source.ts';
import { attach, startSnapshot, untilStatus } from '../../../support/snapshots.ts';
import { connect } from '../../../support/sources.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, steps, workflowsOf } from '../../../support/workflows.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

async function prepared(limits: object = {}) {
  const client = await workspace.organization();
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Flows' } })).body.data.id;
  const source = await recordSource([{ id: 1, at: '2026-01-01T00:00:00Z' }]);
  const connection = await connect(
    client,
    'http',
    { base_url: source.base, auth_type: 'none' },
    { snapshot_config: { enabled: true, http_replication: recordPolicy({}, limits) } },
  );
  const { at, dataset } = await attach(client, connection, '/records', { name: 'Records' });
  return { client, source, at, dataset, flows: workflowsOf(client, () => project), connection };
}

const copied = (id: string) => node('copy', 'snapshot', { dataset_id: id });

test('nodes after a snapshot read what it made, whatever the run was pinned to before', async () => {
  const { source, dataset, flows } = await prepared();
  const workflow = await flows.active(
    graphOf(
      [
        copied(dataset.id),
        node('count', 'query', { sql: `SELECT count(*) AS records FROM ${dataset.snapshotTableName}` }),
        node('some', 'condition', { sql: 'SELECT records = 2 FROM input' }),
        node('told', 'report', { title: 'Two', content: 'Of ${copy.table}.' }),
      ],
      [
        ['copy.done', 'count.start'],
        ['count.rows', 'some.input'],
        ['some.yes', 'told.start'],
      ],
    ),
  );
  // When the first run begins the table does not exist; when the second does, it is older than its data.
  const first = await flows.ran(workflow.id);
  expect(steps(first)).toEqual({ copy: 'succeeded', count: 'succeeded', some: 'succeeded', told: 'skipped' });
  source.records.push({ id: 2, at: '2026-01-02T00:00:00Z' });
  const second = await flows.ran(workflow.id);
  expect(steps(second)).toEqual({
    copy: 'succeeded',
    count: 'succeeded',
    some: 'succeeded',
    told: 'succeeded',
  });
});

test('one that is under way is waited for, a failure of the source is that of the node, a cancel reaches the snapshot', async () => {
  const { client, source, at, dataset, flows, connection } = await prepared({ requests_per_day: 1 });
  const workflow = await flows.active(graphOf([copied(dataset.id)]));
  source.records.push({ id: 2, at: '2026-01-02T00:00:00Z' }, { id: 3, at: '2026-01-03T00:00:00Z' });
  const other = await startSnapshot(client, at);
  // It has used the day's only request, and waits for its second page.
  await expectEventually(() => source.asked.length).toBe(1);
  const waiting = await flows.start(workflow.id);
  await flows.until(workflow.id, waiting.id, (run) => steps(run)['copy'] === 'running');
  const open = recordPolicy();
  await client.call('PATCH', connection, {
    body: { snapshot_config: { enabled: true, http_replication: open } },
  });
  await client.call('POST', `${other}/cancel?confirm=true`);
  await untilStatus(client, other, 'cancelled');
  expect(steps(await flows.ended(workflow.id, waiting.id))).toEqual({ copy: 'succeeded' });

  source.misdeeds.push((_, response) => response.writeHead(403).end());
  const failed = await flows.ran(workflow.id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'source_failed' } });
  expect(failed.error.message).toMatch(/answered 403/);

  const slow = recordPolicy({}, { requests_per_day: 1 });
  await client.call('PATCH', connection, {
    body: { snapshot_config: { enabled: true, http_replication: slow } },
  });
  source.records.push({ id: 4, at: '2026-01-04T00:00:00Z' }, { id: 5, at: '2026-01-05T00:00:00Z' });
  const cut = await flows.start(workflow.id);
  await expectEventually(async () => (await client.call('GET', `${at}/snapshots`)).body.items[0].status).toBe(
    'running',
  );
  await client.call('POST', `/v1/workflows/${workflow.id}/runs/${cut.id}/cancel?confirm=true`);
  expect((await flows.ended(workflow.id, cut.id)).status).toBe('cancelled');
  await expectEventually(async () => (await client.call('GET', `${at}/snapshots`)).body.items[0].status).toBe(
    'cancelled',
  );
});

test('a dataset that is not there is a fault of the activation', async () => {
  const { client, flows } = await prepared();
  const draft = await flows.draft(graphOf([copied('dst_01kahz3v6dfyvb1s8m3h9q2w4x')]));
  const refused = await client.call('POST', `/v1/workflows/${draft.id}/activation`, {
    body: { expected_revision: draft.revision },
  });
  expect(refused.status).toBe(422);
  expect(refused.body.detail).toEqual([
    {
      loc: ['body', 'graph', 'nodes', 0, 'config', 'dataset_id'],
      type: 'value_error',
      msg: 'There is no such dataset.',
    },
  ]);
});
