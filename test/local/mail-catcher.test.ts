import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mail } from '../../data/mail/mail.ts';
import { createMailer } from '../../data/mail/mailer.ts';
import { parseSmtpUrl } from '../../data/mail/smtp-url.ts';
import { createMailbox } from '../../local/mail-catcher/mailbox.ts';
import { type MailCatcherHandle, startMailCatcher } from '../../local/mail-catcher.ts';
import { isPortFree } from '../../local/ports.ts';

let dataDir: string;
let handle: MailCatcherHandle;
const start = () => startMailCatcher({ dataDir, logFile: join(dataDir, 'mail.log') });
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'workspace-mail-'));
  handle = await start();
});
afterAll(async () => {
  await handle?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function send(change: Partial<Mail> = {}) {
  const mailer = createMailer({
    server: parseSmtpUrl(handle.smtpUrl),
    from: { name: 'Workspace', address: 'workspace@localhost' },
  });
  const mail: Mail = { to: 'ada@example.com', subject: 'S', text: 'T', attachments: [], id: 'x', ...change };
  return mailer.send(mail, { beforeData: async () => undefined });
}

const hrefs = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, href]) => href!);
const get = (path: string) => fetch(`${handle.pageUrl}${path}`);

test('a mail is read on the page, with what is attached, and nothing of it is part of the page', async () => {
  const evil = '<script>alert("x")</script>';
  const attachments = [{ name: `Zahlen ${evil}.csv`, contentType: 'text/html', bytes: Buffer.from(evil) }];
  expect(await send({ subject: `Sales & ${evil}`, text: `Up by 3. ${evil}`, attachments })).toMatchObject({
    kind: 'accepted',
  });
  const list = await (await get('/')).text();
  expect(list).toContain('ada@example.com');
  expect(list).toContain('Sales &amp; &lt;script&gt;');
  const [path] = hrefs(list, /href="(\/mails\/\d+)"/g);
  const answer = await get(path!);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  const page = await answer.text();
  expect(page).toContain('Up by 3. &lt;script&gt;');
  expect(list + page).not.toContain('<script');
  const [attached] = hrefs(page, /href="([^"]+\/attachments\/\d+)"/g);
  const file = await get(attached!);
  expect(file.headers.get('content-type')).toBe('application/octet-stream');
  expect(file.headers.get('content-disposition')).toContain('attachment;');
  expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await file.text()).toBe(evil);
  expect(await (await get(`${path}/source`)).text()).toContain('Message-ID: <x@localhost>');
});

test('the HTML of a mail is a page by itself with its pictures, and runs and loads nothing', async () => {
  const picture = { cid: 'one@picture', name: 'one.png', contentType: 'image/png', bytes: Buffer.from('x') };
  await send({ subject: 'HTML', html: '<p>Up <img src="cid:one@picture"></p>', pictures: [picture] });
  const [path] = hrefs(await (await get('/')).text(), /href="(\/mails\/\d+)"/g);
  expect(await (await get(path!)).text()).toContain(`href="${path}/html"`);
  const answer = await get(`${path}/html`);
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none';.* img-src data:; sandbox$/,
  );
  expect(await answer.text()).toContain('<p>Up <img src="data:image/png;base64,eA=="></p>');
});

test.each(['/mails/999', '/mails/x', '/mails/1/attachments/7', '/mails/1/2/3/4', '/../etc/passwd'])(
  'there is nothing at %s',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

test('the page is this machine’s: another name for it is refused', async () => {
  const status = await new Promise((resolve, reject) => {
    request(handle.pageUrl, { headers: { host: 'evil.example' } }, (response) => {
      void text(response).then(() => resolve(response.statusCode));
    })
      .once('error', reject)
      .end();
  });
  expect(status).toBe(403);
});

test('a mail with as much attached as may be is taken, and a larger one refused', async () => {
  const attached = (sizeBytes: number) => [
    { name: 'a', contentType: 'text/plain', bytes: Buffer.alloc(sizeBytes, 97) },
  ];
  expect(await send({ attachments: attached(10_485_760) })).toMatchObject({ kind: 'accepted' });
  expect(await send({ text: 'x\n'.repeat(11_000_000) })).toMatchObject({ kind: 'refused', permanent: true });
});

test('the newest are kept, so many and of so many bytes', () => {
  const mailbox = createMailbox({ maxMails: 3, maxBytes: 1_000 });
  const add = (sizeBytes: number) =>
    mailbox.add({ recipients: [], subject: '', source: Buffer.alloc(sizeBytes) });
  for (let nth = 1; nth <= 5; nth += 1) add(10);
  expect(mailbox.list().map(({ id }) => id)).toEqual([5, 4, 3]);
  expect([mailbox.find(5)?.id, mailbox.find(2)]).toEqual([5, undefined]);
  add(985);
  expect(mailbox.list().map(({ id }) => id)).toEqual([6, 5]);
  add(2_000);
  expect(mailbox.list().map(({ id }) => id)).toEqual([7]);
});

test('it stops with its ports, comes back on them, and ends one that was left behind', async () => {
  const { port, pagePort } = handle;
  await handle.stop();
  expect([await isPortFree(port), await isPortFree(pagePort)]).toEqual([true, true]);
  const left = await start();
  handle = await start();
  expect([handle.port, handle.pagePort]).toEqual([port, pagePort]);
  await left.exited;
  expect((await send()).kind).toBe('accepted');
});
