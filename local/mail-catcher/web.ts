import { createServer, type Server, type ServerResponse } from 'node:http';
import { type Mailbox, readMail } from './mailbox.ts';
import { htmlOf, listPage, mailPage, nameOf } from './page.ts';

/** A mail may contain anything: the browser must neither execute nor fetch anything of it. */
const safety = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** The HTML of a mail is a page by itself, without scripts; it sees only the pictures that came with it. */
const safetyOfHtml = {
  'content-security-policy': `${safety['content-security-policy']}; img-src data:; sandbox`,
};

/** The page that shows caught mails, for users of this machine. */
export function createMailPage(mailbox: Mailbox): Server {
  return createServer((request, response) => {
    const send: Send = (status, type, body, headers = {}) => {
      response.writeHead(status, { ...safety, 'content-type': type, ...headers }).end(body);
    };
    // Prevents DNS rebinding: a foreign site whose name resolves to this machine must not read the page.
    if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(request.headers.host ?? ''))
      return send(403, 'text/plain', 'Open this page as 127.0.0.1.\n');
    if (request.method !== 'GET')
      return send(405, 'text/plain', 'You can only read mails here.\n', { allow: 'GET' });
    answer(mailbox, request.url ?? '/', send).catch(() => fail(response, send));
  });
}

type Send = (status: number, type: string, body: string | Buffer, headers?: Record<string, string>) => void;

async function answer(mailbox: Mailbox, url: string, send: Send): Promise<void> {
  const [, part = '', id = '', what = '', index = '', ...more] = url.split('?', 1)[0]!.split('/');
  const page = (body: string) => send(200, 'text/html; charset=utf-8', body);
  if (part === '') return page(listPage(mailbox.list()));
  const mail = part === 'mails' && /^\d{1,9}$/.test(id) ? mailbox.find(Number(id)) : undefined;
  if (mail === undefined || more.length > 0) return send(404, 'text/plain', 'Mail not found.\n');
  if (what === 'source')
    return send(200, 'text/plain; charset=utf-8', mail.source.subarray(0, maxShownSourceBytes));
  const email = await readMail(mail);
  if (what === '') return page(mailPage({ mail, email }));
  if (what === 'html') return send(200, 'text/html; charset=utf-8', htmlOf(email), safetyOfHtml);
  const attachment =
    what === 'attachments' && /^\d{1,3}$/.test(index) ? email.attachments[Number(index)] : undefined;
  if (attachment === undefined) return send(404, 'text/plain', 'Attachment not found.\n');
  send(200, 'application/octet-stream', Buffer.from(attachment.content as ArrayBuffer), {
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(nameOf(attachment.filename))}`,
  });
}

const maxShownSourceBytes = 1_048_576;

function fail(response: ServerResponse, send: Send): void {
  if (response.headersSent) response.destroy();
  else send(500, 'text/plain', "The mail can't be read. Look at its source.\n");
}
