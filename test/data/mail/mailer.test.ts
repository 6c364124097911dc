import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readApiConfig } from '../../../api/config.ts';
import type { Mail } from '../../../data/mail/mail.ts';
import { createMailer, type MailerOptions, noMailServer } from '../../../data/mail/mailer.ts';
import { isMailAddress, parseMailbox, parseSmtpUrl } from '../../../data/mail/smtp-url.ts';
import { localhostCertificate } from '../../support/localhost-certificate.ts';
import {
  type Misbehaviour,
  smtpLogin,
  startSmtpServer,
  type TestSmtpServer,
} from '../../support/smtp-server.ts';

let server: TestSmtpServer;
beforeAll(async () => {
  server = await startSmtpServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.misbehaviour = {};
  server.mails.length = 0;
});

const from = { name: 'Reports', address: 'reports@example.com' };
const timeouts = { connectMs: 2_000, envelopeMs: 1_000, contentMs: 1_500 };

const mail = (change: Partial<Mail> = {}): Mail => ({
  to: 'ada@example.com',
  subject: 'Weekly sales',
  text: 'It went up.\n.\n..and up.',
  attachments: [],
  id: 'dlv_1',
  ...change,
});

async function send(change: Partial<Mail> = {}, options: Partial<MailerOptions> = {}) {
  const mailer = createMailer({ server: parseSmtpUrl(server.url), from, timeouts, ...options });
  let before = 0;
  const outcome = await mailer.send(mail(change), {
    beforeData: async () => {
      before += 1;
    },
  });
  return { outcome, before, mails: server.mails.length };
}

describe('a mail', () => {
  test('arrives as it was given, with the answer of the server as its receipt', async () => {
    const bytes = Buffer.from([0, 13, 10, 46, 13, 10, 255]);
    const { outcome, before } = await send(
      { attachments: [{ name: 'Zahlen für März.bin', contentType: 'application/octet-stream', bytes }] },
      { replyTo: { name: '', address: 'grace@example.com' } },
    );
    expect(outcome).toEqual({ kind: 'accepted', receipt: expect.stringMatching(/^250 OK: queued as /) });
    expect(before).toBe(1);
    const [got] = server.mails;
    expect(got).toMatchObject({
      from,
      to: [{ address: 'ada@example.com' }],
      replyTo: [{ address: 'grace@example.com' }],
      subject: 'Weekly sales',
      messageId: '<dlv_1@example.com>',
    });
    expect(got!.text!.trimEnd()).toBe('It went up.\n.\n..and up.');
    expect(got!.attachments[0]!.filename).toBe('Zahlen für März.bin');
    expect(Buffer.from(got!.attachments[0]!.content as ArrayBuffer)).toEqual(bytes);
  });

  test('has both texts, with pictures in the HTML and attachments beside it', async () => {
    const bytes = Buffer.from('x');
    const { outcome } = await send({
      html: '<p>Up <img src="cid:one@picture"></p>',
      pictures: [{ cid: 'one@picture', name: 'one.png', contentType: 'image/png', bytes }],
      attachments: [{ name: 'all.pdf', contentType: 'application/pdf', bytes }],
    });
    expect(outcome.kind).toBe('accepted');
    const [got] = server.mails;
    expect(got!.text!.trimEnd()).toBe('It went up.\n.\n..and up.');
    expect(got!.html!.trimEnd()).toBe('<p>Up <img src="cid:one@picture"></p>');
    expect(got!.attachments).toMatchObject([
      { filename: 'one.png', contentId: '<one@picture>', disposition: 'inline', related: true },
      { filename: 'all.pdf', disposition: 'attachment' },
    ]);
  });

  test('goes to a domain of any script by its name in ASCII', async () => {
    expect((await send({ to: 'ada@bücher.example' })).outcome.kind).toBe('accepted');
    expect([server.mails.length, server.utf8Mails]).toEqual([1, 0]);
    expect((await send({ to: 'jürgen@example.com' })).outcome.kind).toBe('accepted');
    expect([server.mails.length, server.utf8Mails]).toEqual([2, 1]);
    expect(parseMailbox('Bücher <post@bücher.example>').address).toBe('post@xn--bcher-kva.example');
  });

  test('has the headers that the service gives it, whatever callers write', async () => {
    const evil = 'Sales\r\nBcc: eve@example.com\r\n\r\nbody';
    const { outcome } = await send({
      subject: evil,
      attachments: [{ name: `${evil}".pdf`, contentType: 'application/pdf', bytes: Buffer.from('x') }],
    });
    expect(outcome.kind).toBe('accepted');
    const [got] = server.mails;
    expect(got!.bcc).toBeUndefined();
    expect(got!.headers.map(({ key }) => key).sort()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
    expect(got!.attachments).toHaveLength(1);
  });

  test.each([
    '=?utf-8?q?Sales=0d=0aBcc: eve@example.com?=',
    'Sales =?utf-8?b?U2FsZXM=?= of “May”',
    `${'=?utf-8?q?a?= '.repeat(30)}ü`,
  ])('a subject that looks encoded is shown as it was written: %s', async (subject) => {
    expect((await send({ subject })).outcome.kind).toBe('accepted');
    const [got] = server.mails;
    expect(got!.subject).toBe(subject);
    expect(got!.bcc).toBeUndefined();
  });

  test.each([
    'a@b.c, d@e.f',
    'a@b.c\r\nRCPT TO:<d@e.f>',
    'Ada <a@b.c>',
    'a b@c.d',
    'nobody',
    '@b.c',
    'a@',
    '',
  ])('to %j is refused before a session begins', async (to) => {
    const { sessions } = server;
    expect((await send({ to })).outcome).toMatchObject({ kind: 'refused', permanent: true });
    expect(server.sessions).toBe(sessions);
  });

  test('with more than 10 MiB attached is refused, and with 10 MiB it is not', async () => {
    const attached = (sizes: number[]) =>
      sizes.map((size) => ({ name: 'a', contentType: 'text/plain', bytes: Buffer.alloc(size, 97) }));
    expect((await send({ attachments: attached([5_242_880, 5_242_881]) })).outcome).toEqual({
      kind: 'refused',
      permanent: true,
      message: expect.stringContaining('10 MiB'),
    });
    const { outcome, mails } = await send(
      { attachments: attached([5_242_880, 5_242_880]) },
      { timeouts: { ...timeouts, contentMs: 30_000 } },
    );
    expect([outcome.kind, mails]).toEqual(['accepted', 1]);
  });

  test('without a server is refused, and says who can help', async () => {
    const mailer = createMailer(undefined);
    expect(await mailer.send(mail(), { beforeData: async () => undefined })).toEqual({
      kind: 'refused',
      permanent: true,
      message: noMailServer,
    });
  });

  test('that is called off before its content is not sent, and says why', async () => {
    const mailer = createMailer({ server: parseSmtpUrl(server.url), from, timeouts });
    const reason = new Error('Somebody else was first.');
    await expect(mailer.send(mail(), { beforeData: () => Promise.reject(reason) })).rejects.toBe(reason);
    expect(server.mails).toEqual([]);
  });

  test('is answered for after what comes before its content has ended, also where the session fails meanwhile', async () => {
    const mailer = createMailer({
      server: parseSmtpUrl(server.url),
      from,
      timeouts: { ...timeouts, contentMs: 50 },
    });
    let isOver = false;
    const outcome = await mailer.send(mail(), {
      beforeData: async () => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        isOver = true;
      },
    });
    expect(isOver).toBe(true);
    expect(outcome).toMatchObject({ kind: 'refused', permanent: false });
    expect(server.mails).toEqual([]);
  });
});

const large = [{ name: 'a', contentType: 'text/plain', bytes: Buffer.alloc(8_388_608, 97) }];

/**
 * The server's behaviour, the resulting state of the mail, whether its content was begun, and how many the
 * server has.
 */
const cases: [
  string,
  Misbehaviour,
  Record<string, unknown>,
  before: number,
  mails: number,
  Partial<Mail>?,
][] = [
  [
    'refuses to greet',
    { refuse: { at: 'greeting', with: '554 Not today' } },
    { kind: 'refused', permanent: false },
    0,
    0,
  ],
  [
    'refuses the login',
    { refuse: { at: 'login', with: '535 Wrong' } },
    { kind: 'refused', permanent: false },
    0,
    0,
  ],
  [
    'refuses the sender',
    { refuse: { at: 'sender', with: '550 Not you' } },
    { kind: 'refused', permanent: true },
    0,
    0,
  ],
  [
    'wants a login',
    { refuse: { at: 'sender', with: '530 Log in' } },
    { kind: 'refused', permanent: false },
    0,
    0,
  ],
  [
    'answers 451 to the recipient',
    { refuse: { at: 'recipient', with: '451 Later' } },
    { kind: 'refused', permanent: false },
    0,
    0,
  ],
  [
    'answers 550 to the recipient',
    { refuse: { at: 'recipient', with: '550 Unknown' } },
    { kind: 'refused', permanent: true },
    0,
    0,
  ],
  [
    'answers 452 to the content',
    { refuse: { at: 'answer', with: '452 Full' } },
    { kind: 'refused', permanent: false },
    1,
    0,
  ],
  [
    'answers 554 to the content',
    { refuse: { at: 'answer', with: '554 Spam' } },
    { kind: 'refused', permanent: true },
    1,
    0,
  ],
  ['drops at the greeting', { drop: 'greeting' }, { kind: 'refused', permanent: false }, 0, 0],
  ['drops at the recipient', { drop: 'recipient' }, { kind: 'refused', permanent: false }, 0, 0],
  [
    'drops in the midst of the content',
    { drop: 'content' },
    { kind: 'refused', permanent: false },
    1,
    0,
    { attachments: large },
  ],
  ['drops when it has the content', { drop: 'answer' }, { kind: 'uncertain' }, 1, 1],
  ['never greets', { silentAt: 'greeting' }, { kind: 'refused', permanent: false }, 0, 0],
  ['never answers to the login', { silentAt: 'login' }, { kind: 'refused', permanent: false }, 0, 0],
  ['never answers to the recipient', { silentAt: 'recipient' }, { kind: 'refused', permanent: false }, 0, 0],
  ['never answers to the content', { silentAt: 'answer' }, { kind: 'uncertain' }, 1, 1],
  ['answers to the content slowly', { answerDelayMs: 700 }, { kind: 'accepted' }, 1, 1],
];

describe('a server that', () => {
  test.each(cases)('%s', async (_what, misbehaviour, outcome, before, mails, change = {}) => {
    server.misbehaviour = misbehaviour;
    const sent = await send(change);
    expect(sent).toEqual({ outcome: expect.objectContaining(outcome), before, mails });
    expect(JSON.stringify(sent)).not.toContain(smtpLogin.password);
  });

  test('is not there', async () => {
    const gone = await startSmtpServer();
    await gone.close();
    const { outcome } = await send({}, { server: parseSmtpUrl(gone.url) });
    expect(outcome).toMatchObject({ kind: 'refused', permanent: false });
  });

  test('shuts down when it has the content may have the mail', async () => {
    const ending = await startSmtpServer();
    // It notifies every connected client with a 421.
    ending.misbehaviour = { silentAt: 'answer', onMail: () => void ending.close() };
    const { outcome } = await send({}, { server: parseSmtpUrl(ending.url) });
    expect(outcome).toMatchObject({ kind: 'uncertain', message: expect.stringContaining('421') });
    expect(ending.mails).toHaveLength(1);
  });

  test('says the password again is not shown with it', async () => {
    const { user, password } = smtpLogin;
    const plain = Buffer.from(`\0${user}\0${password}`).toString('base64');
    server.misbehaviour = { refuse: { at: 'login', with: `535 Not ${password}, nor ${plain}` } };
    const { outcome } = await send();
    expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining('********') });
    expect(JSON.stringify(outcome)).not.toContain(password);
    expect(JSON.stringify(outcome)).not.toContain(plain);
  });

  test('takes no login gets no mail where one is set', async () => {
    const open = await startSmtpServer({ takesLogin: false });
    const { login, ...anybody } = parseSmtpUrl(open.url);
    expect((await send({}, { server: { ...anybody, login } })).outcome).toMatchObject({
      kind: 'refused',
      permanent: false,
      message: expect.stringContaining('SMTP_URL'),
    });
    expect(open.mails).toEqual([]);
    expect((await send({}, { server: { ...anybody, login: undefined } })).outcome.kind).toBe('accepted');
    await open.close();
  });

  test('turns to TLS is sent the password and the mail, where its certificate is trusted', async () => {
    const turning = await startSmtpServer({ tls: 'starttls' });
    const always = await startSmtpServer({ tls: 'always' });
    // With an address that does not identify this machine, TLS is required.
    const settings = [
      { ...parseSmtpUrl(turning.url), host: '0.0.0.0' },
      { ...parseSmtpUrl(always.url), host: 'localhost' },
    ];
    for (const given of settings)
      expect((await send({}, { server: given })).outcome).toMatchObject({
        kind: 'refused',
        permanent: false,
      });
    expect([turning.logins, always.logins]).toEqual([0, 0]);
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, localhostCertificate.cert]);
    for (const given of settings) expect((await send({}, { server: given })).outcome.kind).toBe('accepted');
    setDefaultCACertificates(trusted);
    expect([turning.mails.length, always.mails.length]).toEqual([1, 1]);
    await Promise.all([turning.close(), always.close()]);
  });

  test('of another machine is not sent a password in the clear', async () => {
    const { logins } = server;
    // It is still this machine, under an address that does not show it.
    const { outcome } = await send({}, { server: { ...parseSmtpUrl(server.url), host: '0.0.0.0' } });
    expect(outcome).toMatchObject({ kind: 'refused', permanent: false });
    expect(server.logins).toBe(logins);
  });
});

describe('settings', () => {
  test('are read from an address', () => {
    expect(parseSmtpUrl('smtp://mail.example.com')).toEqual({
      host: 'mail.example.com',
      port: 587,
      secure: false,
      login: undefined,
    });
    expect(parseSmtpUrl('smtps://u%40x:p%25@[::1]')).toEqual({
      host: '::1',
      port: 465,
      secure: true,
      login: { user: 'u@x', password: 'p%' },
    });
    expect(parseMailbox('Reports of Ada <reports@example.com>')).toEqual({
      name: 'Reports of Ada',
      address: 'reports@example.com',
    });
  });

  test.each([
    'mail.example.com',
    'http://x',
    'smtp://secret@host',
    'smtp://u:secret%@host',
    'smtp://u:secret@host/x',
  ])('that cannot be used say so without what they hold: %s', (url) => {
    expect(() => parseSmtpUrl(url)).toThrow();
    expect(() => parseSmtpUrl(url)).not.toThrow('secret');
  });

  test.each(['', 'Reports', 'a@b.c, d@e.f', 'Team: a@b.c;'])(
    'of the sender are one address: %j is not',
    (text) => {
      expect(() => parseMailbox(text)).toThrow('one address');
    },
  );

  test('of an environment are named where they are wrong, without what they hold', () => {
    const mailOf = (given: NodeJS.ProcessEnv) => readApiConfig({ ...process.env, ...given }).mail;
    expect(mailOf({})).toBeUndefined();
    expect(mailOf({ SMTP_URL: 'smtp://host', SMTP_FROM: 'a@b.c' })).toMatchObject({
      server: { host: 'host' },
      from: { address: 'a@b.c' },
    });
    expect(() => mailOf({ SMTP_URL: 'smtp://host' })).toThrow('set SMTP_FROM');
    const wrong = () => mailOf({ SMTP_URL: 'smtp://user:secret@', SMTP_FROM: 'a@b.c' });
    expect(wrong).toThrow('SMTP_URL');
    expect(wrong).not.toThrow('secret');
  });

  test('take addresses with letters of any script', () => {
    expect(isMailAddress('jürgen@bücher.example')).toBe(true);
  });
});
