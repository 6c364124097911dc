import { describe, expect, test } from 'vitest';
import type { Dashboard } from '../../../../domain/publishing/dashboards/dashboards.ts';
import { sourceOf } from '../../../../domain/publishing/dashboards/document.ts';
import { keepMailed } from '../../../../domain/publishing/dashboards/mailed.ts';
import type { ShownTile } from '../../../../domain/publishing/dashboards/shown.ts';
import type { MailContent } from '../../../../domain/publishing/deliveries/content.ts';
import { useLab } from './lab.ts';

const lab = useLab();

async function storedReport(content: string, title = 'Weekly') {
  const stored = await lab.client.call('POST', `/v1/projects/${lab.projectId}/reports`, {
    body: { title, content },
  });
  expect(stored.status, stored.text).toBe(201);
  return { reportId: stored.body.data.id as string, revision: 1 };
}

async function mailed(change: Partial<MailContent>) {
  const id = await lab.addMail(change);
  expect(await lab.attempt(id), JSON.stringify((await lab.row(id)).error)).toEqual({ status: 'delivered' });
  return lab.server.mails.at(-1)!;
}

describe('a mail', () => {
  test('of a text has it as HTML too', async () => {
    const mail = await mailed({ text: 'Up <by> 3.\nOr 4.\n\nBye\n' });
    expect(mail.text!.trimEnd()).toBe('Up <by> 3.\nOr 4.\n\nBye');
    expect(mail.html).toMatch(/>Up &lt;by&gt; 3\.<br>Or 4\.<\/p>\n<p [^>]*>Bye<\/p>/);
    expect(mail.html).toContain('<meta name="color-scheme" content="light">');
    expect(mail.attachments).toEqual([]);
  });

  test('shows a report below its text, with its tables and pictures', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="9" height="9"/></svg>';
    await lab.client.call('PUT', `/v1/projects/${lab.projectId}/files/content?path=images/up.svg`, {
      body: { content: svg },
    });
    const report = await storedReport(
      'Up.\n\n| City | Orders |\n|---|--:|\n| Faro | 3 |\n\n![Logo](images/up.svg)',
    );
    const mail = await mailed({ text: 'Hello', shows: [{ type: 'report', ...report }] });
    expect(mail.text!.trimEnd()).toMatch(/^Hello\nUp\.\n\n\| City/);
    expect(mail.html).toMatch(/Hello<\/p>\n<h1 [^>]*>Weekly<\/h1><p [^>]*>Up\.<\/p><table/);
    expect(mail.html).toMatch(/<td align="right"[^>]*>3<\/td>/);
    const [logo, ...others] = mail.attachments;
    expect(logo).toMatchObject({ mimeType: 'image/png', disposition: 'inline', related: true });
    expect(others).toEqual([]);
    expect(mail.html).toContain(
      `<img src="cid:${logo!.contentId!.slice(1, -1)}" width="40" height="20" alt="Logo"`,
    );
  });

  test('is less than what Gmail shows, however much it has, and says what is missing', async () => {
    const text = 'ä <b>\n\n'.repeat(10_000);
    const report = await storedReport(`${'word <i>\n\n'.repeat(10_000)}`);
    const shows = Array.from({ length: 20 }, () => ({ type: 'report' as const, ...report }));
    for (const change of [{ text }, { text: report }, { text: 'Short', shows }, { text, shows }]) {
      const { html } = await mailed({ subject: '<&"'.repeat(300), ...change });
      expect(Buffer.byteLength(html!)).toBeLessThanOrEqual(100_000);
      expect(Buffer.byteLength(html!)).toBeGreaterThan(80_000);
      expect(html).toMatch(/is cut here|shows only a part of the report/);
      expect(html!.trimEnd()).toMatch(/<\/html>$/);
    }
  });

  test('attaches the page of a dashboard only if it leaves out a part', async () => {
    const body = { content: '<p>The page</p>' };
    const url = `/v1/projects/${lab.projectId}/files/content?path=page.html`;
    const fileId = (await lab.client.call('PUT', url, { body })).body.data.id;
    const page = { type: 'file' as const, fileId, name: 'Sales.html' };
    for (const count of [100, 101]) {
      const key = `${lab.client.organizationId}/workflow-runs/test/${count}.json`;
      const rows = Array.from({ length: count }, (_, index) => [`row ${index}`]);
      const shown = { kind: 'table' as const, columns: [{ name: 'n', isNumber: false }], rows, isCut: false };
      const tile = { x: 0, y: 0 } as ShownTile['tile'];
      const tiles = [{ tile, title: 'Rows', shown }];
      const dashboard = { name: 'Sales', description: 'All of it' } as Dashboard;
      await keepMailed(lab.deps.objects, key, sourceOf(dashboard, tiles), tiles);
      const mail = await mailed({ text: '', shows: [{ type: 'dashboard', key, page }] });
      expect(mail.html).toContain('row 99');
      expect(mail.html).not.toContain('row 100');
      expect(mail.html?.includes('The complete page is attached.')).toBe(count > 100);
      expect(mail.text).toMatch(/^Sales\n\nRows\nn\nrow 0\n/);
      expect(mail.attachments.map(({ filename }) => filename)).toEqual(count > 100 ? ['Sales.html'] : []);
    }
  });

  test('that would be too complex as HTML is the text', async () => {
    const report = await storedReport('*a* '.repeat(2_000));
    const mail = await mailed({ text: report });
    expect(mail.html).toBeUndefined();
    expect(mail.text).toContain('*a* *a*');
  });

  test('is what its author wrote, whatever is in titles, cells and Markdown', async () => {
    const evil = '</title><script>alert(1)</script>"\' onclick=x';
    const report = await storedReport(
      `<script>alert(1)</script>\n\n[a](javascript:alert(1)) ![b](https://example.com/b.png) <a href="https://x.example">c</a>\n\n| ${evil} |\n|---|\n| <style>x</style> |`,
      evil,
    );
    const {
      html = '',
      headers,
      subject,
    } = await mailed({
      subject: `${evil}\r\nBcc: eve@example.com`,
      text: evil,
      shows: [{ type: 'report', ...report }],
    });
    expect(html).not.toMatch(/<script|<style|<a [^>]*javascript|<img|<a href="https:\/\/x/);
    expect(html.match(/<\/title>/g)).toHaveLength(1);
    expect(subject).toContain('</title>');
    expect(headers.map(({ key }) => key)).not.toContain('bcc');
  });
});
