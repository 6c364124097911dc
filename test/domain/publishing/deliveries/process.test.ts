import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { deliveryAgentActivities } from '../../../../activities/publishing/agent.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { deliveriesOf, insertDeliveries } from '../../../../domain/publishing/deliveries/deliveries.ts';
import { outputDeliveries } from '../../../../domain/publishing/deliveries/planned.ts';
import { taskQueues } from '../../../../workflows/task-queues.ts';
import { readPdf } from '../../../support/documents.ts';
import { quietRuntime } from '../../../support/temporal.ts';
import { useLab } from './lab.ts';

const lab = useLab();

/** The process of the fire's schedule uses the usual queue. */
const taskQueue = 'deliveries';

/** A process that delivers, with the activities of a worker. */
async function deliver(deliveryIds: string[]): Promise<string[]> {
  quietRuntime();
  const { namespace } = lab.workspace.temporal.options;
  const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS']! });
  const workflowsPath = fileURLToPath(new URL('../../../workflows/delivery/workflow.ts', import.meta.url));
  const deps = { ...lab.workspace.activityDeps, ...lab.deps };
  const [control, agent] = await Promise.all([
    Worker.create({
      connection,
      namespace,
      workflowBundle: await bundleWorkflowCode({ workflowsPath }),
      taskQueue,
    }),
    Worker.create({
      connection,
      namespace,
      taskQueue: taskQueues.agent,
      activities: deliveryAgentActivities(deps),
    }),
  ]);
  const { organizationId } = lab.client;
  const { ends } = await control.runUntil(
    agent.runUntil(() =>
      lab.workspace.temporal.workflow.execute('deliverThese', {
        workflowId: `deliver/${randomUUID()}`,
        taskQueue,
        args: [deliveryIds.map((deliveryId) => ({ organizationId, deliveryId }))],
      }),
    ),
  );
  await connection.close();
  return ends;
}

test('a report is in the folder in three formats and with each recipient, once, and one that is refused keeps nothing', async () => {
  const { client, projectId, server } = lab;
  const { organizationId } = client;
  const body = { title: 'Weekly: sales', content: '# Weekly\n\nUp by 3.\n' };
  const stored = await client.call('POST', `/v1/projects/${projectId}/reports`, { body });
  const scheduleRunId = await lab.addFire();
  const rows = outputDeliveries({
    organizationId,
    projectId,
    scheduleRunId,
    outputFolder: 'reports',
    emailRecipients: [{ email: 'ada@example.com' }, { email: 'nobody' }, { email: 'bob@example.com' }],
    output: { reportId: stored.body.data.id, title: 'Weekly: sales', revision: 1 },
    localTime: '2027-03-28T02:30:00',
    createdAtMs: Date.now(),
  });
  const planned = await inOrganization(lab.deps.db, organizationId, async (db) => {
    await insertDeliveries(db, rows);
    return deliveriesOf(db, organizationId, scheduleRunId);
  });
  const ids = planned.map(({ id }) => id);
  const ends = await deliver(ids);
  expect(planned.map(({ target }, index) => `${target} ${ends[index]}`)).toEqual([
    'reports/Weekly- sales 2027-03-28T02-30-00.docx delivered',
    'reports/Weekly- sales 2027-03-28T02-30-00.md delivered',
    'reports/Weekly- sales 2027-03-28T02-30-00.pdf delivered',
    'ada@example.com delivered',
    'bob@example.com delivered',
    'nobody failed',
  ]);
  const files = async () =>
    (await client.call('GET', `/v1/projects/${projectId}/files`)).body.items as {
      id: string;
      path: string;
      version: number;
    }[];
  const before = await files();
  expect(before.map(({ path }) => path).sort()).toEqual(planned.slice(0, 3).map(({ target }) => target));
  const pdf = before.find(({ path }) => path.endsWith('.pdf'))!;
  const answer = await lab.workspace.app.inject({
    url: `/v1/projects/${projectId}/files/${pdf.id}/content`,
    headers: { authorization: `Bearer ${await client.token()}` },
  });
  expect((await readPdf(answer.rawPayload))[0]!.text).toContain('Up by 3.');
  expect(server.mails.map(({ to }) => to![0]!.address).sort()).toEqual([
    'ada@example.com',
    'bob@example.com',
  ]);
  // Everything again, as after a crash of all parts.
  expect(await deliver(ids)).toEqual(ends);
  expect([await files(), server.mails.length]).toEqual([before, 2]);
});
