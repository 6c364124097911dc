import { describe, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { mailContentOf } from '../../../../domain/publishing/deliveries/content.ts';
import { deliveriesOf, insertDeliveries } from '../../../../domain/publishing/deliveries/deliveries.ts';
import { outputDeliveries, type PlannedOutput } from '../../../../domain/publishing/deliveries/planned.ts';
import { pathFault } from '../../../../domain/workspace/files/path.ts';
import { projectOf } from '../../../support/conversations.ts';
import { readPdf } from '../../../support/documents.ts';
import { useLab } from './lab.ts';

const lab = useLab();

const report = { reportId: 'rpt_1', title: 'Sales: north/south?', revision: 3 };

const planned = (change: Partial<PlannedOutput> = {}): PlannedOutput => ({
  organizationId: 'org_1',
  projectId: 'prj_1',
  scheduleRunId: 'srn_1',
  outputFolder: 'out/weekly',
  emailRecipients: [{ email: 'ada@example.com' }, { email: 'bob@example.com' }],
  output: report,
  localTime: '2027-03-28T02:30:00',
  createdAtMs: 1_800_000_000_000,
  ...change,
});

describe('what a fire made is planned as', () => {
  test('three files in the folder, and one mail to each recipient with the PDF attached', () => {
    const rows = outputDeliveries(planned());
    expect(rows.map(({ kind, target }) => `${kind} ${target}`)).toEqual([
      'file out/weekly/Sales- north-south- 2027-03-28T02-30-00.md',
      'file out/weekly/Sales- north-south- 2027-03-28T02-30-00.pdf',
      'file out/weekly/Sales- north-south- 2027-03-28T02-30-00.docx',
      'email ada@example.com',
      'email bob@example.com',
    ]);
    expect(JSON.parse(rows[3]!.content as string)).toEqual({
      subject: 'Sales: north/south?',
      text: { reportId: 'rpt_1', revision: 3 },
      attachments: [
        {
          type: 'report',
          reportId: 'rpt_1',
          revision: 3,
          format: 'pdf',
          name: 'Sales- north-south- 2027-03-28T02-30-00.pdf',
        },
      ],
    });
  });

  test('one copy of a file, and mails with it attached', () => {
    const output = { fileId: 'fil_1', path: 'exports/orders.tar.gz' };
    const rows = outputDeliveries(planned({ output, outputFolder: '/out/' }));
    expect(rows.map(({ target }) => target)).toEqual([
      'out/orders.tar 2027-03-28T02-30-00.gz',
      'ada@example.com',
      'bob@example.com',
    ]);
    expect(JSON.parse(rows[1]!.content as string)).toMatchObject({
      subject: 'orders.tar.gz',
      attachments: [{ type: 'file', fileId: 'fil_1' }],
    });
  });

  test('the same rows, planned again; and others for another fire', () => {
    const ids = (change = {}) => outputDeliveries(planned(change)).map(({ id }) => id);
    expect(ids()).toEqual(ids());
    const other = ids({ scheduleRunId: 'srn_2' });
    expect(ids().filter((id) => other.includes(id))).toEqual([]);
  });

  test('nothing without a folder and recipients, and one mail to who is named twice', () => {
    expect(outputDeliveries(planned({ outputFolder: '', emailRecipients: [] }))).toEqual([]);
    const twice = [{ email: 'ada@example.com' }, { email: ' ada@example.com' }];
    expect(outputDeliveries(planned({ outputFolder: '', emailRecipients: twice }))).toHaveLength(1);
  });

  test.each([
    '',
    '...',
    '../../etc/passwd',
    'a\u0000b\nc\u0085d',
    '\ud800 half',
    'ä'.repeat(400),
    '🎉'.repeat(300),
    '.. .',
    'a\\b',
    'x'.repeat(5_000),
  ])('paths that the project takes, whatever the title: %j', (title) => {
    for (const outputFolder of ['out', `${'deep/'.repeat(160)}out`]) {
      const rows = outputDeliveries(
        planned({ output: { ...report, title }, outputFolder, emailRecipients: [] }),
      );
      expect(rows).toHaveLength(3);
      for (const { target } of rows) {
        expect(pathFault(target)).toBeUndefined();
        expect(target.startsWith(`${outputFolder}/`)).toBe(true);
        expect(target.slice(outputFolder.length + 1)).not.toContain('/');
      }
    }
  });

  test('rows that are there once, however often they are inserted', async () => {
    const { organizationId } = lab.client;
    const scheduleRunId = await lab.addFire();
    const rows = outputDeliveries(planned({ organizationId, projectId: lab.projectId, scheduleRunId }));
    const found = await inOrganization(lab.deps.db, organizationId, async (db) => {
      await insertDeliveries(db, rows);
      await insertDeliveries(db, rows);
      await insertDeliveries(db, []);
      return deliveriesOf(db, organizationId, scheduleRunId);
    });
    expect(found.map(({ kind }) => kind)).toEqual(['file', 'file', 'file', 'email', 'email']);
    expect(found.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort());
    expect(mailContentOf(found[3]!).subject).toBe('Sales: north/south?');
  });
});

async function storedReport(content: string, projectId = lab.projectId) {
  const body = { title: 'Weekly', content };
  const stored = await lab.client.call('POST', `/v1/projects/${projectId}/reports`, { body });
  expect(stored.status, stored.text).toBe(201);
  return { reportId: stored.body.data.id as string, revision: 1 };
}

async function writtenFile(path: string, content: string): Promise<string> {
  const url = `/v1/projects/${lab.projectId}/files/content?path=${path}`;
  return (await lab.client.call('PUT', url, { body: { content } })).body.data.id;
}

const filesAt = async (prefix: string, projectId = lab.projectId) => {
  const { body } = await lab.client.call('GET', `/v1/projects/${projectId}/files?limit=200`);
  return (body.items as { id: string; path: string; version: number; sizeBytes: number }[]).filter(
    ({ path }) => path.startsWith(prefix),
  );
};

describe('a report', () => {
  test('is a file in the folder, in the revision that was planned, once', async () => {
    const asked = await storedReport('# Weekly\n\nUp by 3.\n');
    const url = `/v1/projects/${lab.projectId}/reports/${asked.reportId}`;
    await lab.client.call('PATCH', url, { body: { content: 'Rewritten.' } });
    const thing = { type: 'report', ...asked, format: 'markdown', name: 'Weekly.md' } as const;
    const id = await lab.add('file', 'once/Weekly.md', thing);
    const attempts = await Promise.all([lab.attempt(id), lab.attempt(id), lab.attempt(id)]);
    expect(attempts.some(({ status }) => status === 'delivered')).toBe(true);
    expect(await lab.attempt(id)).toEqual({ status: 'delivered' });
    const [file, ...others] = await filesAt('once/');
    expect([file!.version, others]).toEqual([1, []]);
    expect(await lab.row(id)).toMatchObject({ status: 'delivered', receipt: file!.id, error: null });
    const content = await lab.client.call('GET', `/v1/projects/${lab.projectId}/files/${file!.id}/content`);
    expect(content.text).toContain('Up by 3.');
  });

  test('is a mail of its Markdown, with the PDF attached', async () => {
    const asked = await storedReport('# Weekly\n\nUp by 3.\n');
    const attachments = [{ type: 'report', ...asked, format: 'pdf', name: 'Weekly.pdf' }] as const;
    const id = await lab.addMail({ subject: 'Weekly', text: asked, attachments: [...attachments] });
    expect(await lab.attempt(id)).toEqual({ status: 'delivered' });
    const [mail] = lab.server.mails;
    expect(mail).toMatchObject({ subject: 'Weekly', to: [{ address: 'ada@example.com' }] });
    expect(mail!.text).toContain('# Weekly\n\nUp by 3.');
    const [{ filename, mimeType, content }] = mail!.attachments as [(typeof mail & object)['attachments'][0]];
    expect([filename, mimeType]).toEqual(['Weekly.pdf', 'application/pdf']);
    expect((await readPdf(Buffer.from(content as ArrayBuffer)))[0]!.text).toContain('Up by 3.');
  });

  test('of more than 100,000 characters is cut in the mail, which says so', async () => {
    const asked = await storedReport(`${'x'.repeat(99_999)}🎉${'y'.repeat(50_000)}`);
    const id = await lab.addMail({ text: asked });
    expect(await lab.attempt(id)).toEqual({ status: 'delivered' });
    const { text } = lab.server.mails[0]!;
    expect(text).toContain('It has 150001 characters');
    expect(text!.replace(/\s/g, '').startsWith(`${'x'.repeat(99_999)}[Thereport`)).toBe(true);
  });

  test('that was deleted before is a failed delivery that says so', async () => {
    const asked = await storedReport('Gone soon.');
    await lab.client.call('DELETE', `/v1/projects/${lab.projectId}/reports/${asked.reportId}?confirm=true`);
    const thing = { type: 'report', ...asked, format: 'pdf', name: 'Gone.pdf' } as const;
    for (const id of [
      await lab.add('file', 'gone/Gone.pdf', thing),
      await lab.addMail({ attachments: [thing] }),
      await lab.addMail({ text: asked }),
    ]) {
      expect(await lab.attempt(id)).toEqual({ status: 'failed' });
      expect((await lab.row(id)).error).toEqual({
        code: 'not_found',
        message: 'The report was deleted before it was delivered.',
      });
    }
    expect([await filesAt('gone/'), lab.server.mails]).toEqual([[], []]);
  });

  test('of another project is not delivered', async () => {
    const asked = await storedReport('Theirs.', await projectOf(lab.client));
    const thing = { type: 'report', ...asked, format: 'markdown', name: 'Theirs.md' } as const;
    const id = await lab.add('file', 'theirs/Theirs.md', thing);
    expect(await lab.attempt(id)).toEqual({ status: 'failed' });
  });
});

describe('a file', () => {
  test('is copied, and one that was deleted before is not', async () => {
    const fileId = await writtenFile('source.csv', 'a,b\n1,2\n');
    const thing = { type: 'file', fileId, name: 'source.csv' } as const;
    const copied = await lab.add('file', 'copies/source.csv', thing);
    expect(await lab.attempt(copied)).toEqual({ status: 'delivered' });
    expect(await filesAt('copies/')).toMatchObject([{ path: 'copies/source.csv', sizeBytes: 8 }]);
    await lab.client.call('DELETE', `/v1/projects/${lab.projectId}/files/${fileId}?confirm=true`);
    const late = await lab.add('file', 'copies/late.csv', thing);
    expect(await lab.attempt(late)).toEqual({ status: 'failed' });
    expect((await lab.row(late)).error).toMatchObject({
      message: 'The file was deleted before it was delivered.',
    });
  });

  test('for a path that the project does not take fails with the reason', async () => {
    const fileId = await writtenFile('source2.csv', 'a\n1\n');
    const id = await lab.add('file', 'copies/../x.csv', { type: 'file', fileId, name: 'x.csv' });
    expect(await lab.attempt(id)).toEqual({ status: 'failed' });
    expect((await lab.row(id)).error).toMatchObject({ message: expect.stringContaining('empty parts') });
  });

  test('is not attached beyond 10 MiB altogether', async () => {
    const content = 'x'.repeat(5_500_000);
    const [one, two] = [await writtenFile('one.txt', content), await writtenFile('two.txt', content)];
    const attachments = [one, two].map((fileId) => ({ type: 'file' as const, fileId, name: 'x.txt' }));
    const { sessions } = lab.server;
    const id = await lab.addMail({ attachments });
    expect(await lab.attempt(id)).toEqual({ status: 'failed' });
    expect((await lab.row(id)).error).toMatchObject({ message: expect.stringContaining('10 MiB') });
    expect(lab.server.sessions).toBe(sessions);
  });

  test('is not written into an archived project', async () => {
    const fileId = await writtenFile('late.csv', 'a\n1\n');
    const id = await lab.add('file', 'archived/late.csv', { type: 'file', fileId, name: 'late.csv' });
    await lab.client.call('DELETE', `/v1/projects/${lab.projectId}?confirm=true`);
    expect(await lab.attempt(id)).toEqual({ status: 'failed' });
    expect((await lab.row(id)).error).toMatchObject({ message: expect.stringContaining('archived') });
    lab.projectId = await projectOf(lab.client);
  });
});
