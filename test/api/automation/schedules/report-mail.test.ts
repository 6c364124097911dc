import { afterAll, expect, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { attachedTable } from '../../../support/runs.ts';
import { madeSchedule, writtenPlaybook } from '../../../support/schedules.ts';
import { startSmtpServer } from '../../../support/smtp-server.ts';
import { useWorker } from '../../../support/worker.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

const mail = await startSmtpServer();
const workspace = useOwnWorkspace({}, () => ({ SMTP_URL: mail.url, SMTP_FROM: 'reports@example.com' }));
useWorker(workspace);
afterAll(() => mail.close());

test('a report goes to each recipient as HTML with its charts, as text, and as a PDF', async () => {
  const client = await workspace.organization();
  const project = await projectOf(client);
  await attachedTable(client, project, 'orders', [
    { s_id: 1, amount: 2, city: '<img src=x onerror=alert(1)>' },
    { s_id: 2, amount: 3, city: 'Faro' },
  ]);
  const playbook = await writtenPlaybook(client, project, {
    instructions: '# Orders\n\nAs of **today**.\n\n- total amount by city as a bar chart',
    output: { type: 'report', title: 'Orders <b>\u202e of ${city}' },
    parameters: { city: { type: 'string', default: 'Faro' } },
  });
  const { id } = await madeSchedule(client, project, playbook, {
    config: { email_recipients: [{ email: 'ada@example.com' }, { email: 'bob@example.com' }] },
  });
  const fired = await client.call('POST', `/v1/schedules/${id}/trigger`);
  const run = await eventually(
    async () => (await client.call('GET', `/v1/schedules/${id}/runs/${fired.body.data.id}`)).body.data,
    ({ status }) => status !== 'running',
  );
  expect(run.status, run.reason).toBe('succeeded');
  expect(mail.mails.map(({ to }) => to?.[0]?.address).sort()).toEqual(['ada@example.com', 'bob@example.com']);
  for (const { html = '', text = '', attachments } of mail.mails) {
    expect(html).toContain('Orders &lt;b&gt; of Faro</h1>');
    expect(html).toContain('As of <b>today</b>.');
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html.match(/<img/g)).toHaveLength(1);
    const picture = attachments.find(({ mimeType }) => mimeType === 'image/png');
    expect(picture).toMatchObject({ disposition: 'inline', related: true });
    expect(html).toContain(`src="cid:${picture?.contentId?.slice(1, -1)}"`);
    expect(text).toContain('As of **today**.');
    const others = attachments.filter((attachment) => attachment !== picture);
    expect(others).toMatchObject([{ mimeType: 'application/pdf', disposition: 'attachment' }]);
  }
});
