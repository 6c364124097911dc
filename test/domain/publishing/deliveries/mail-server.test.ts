import { describe, expect, test } from 'vitest';
import { createMailer, noMailServer } from '../../../../data/mail/mailer.ts';
import { parseSmtpUrl } from '../../../../data/mail/smtp-url.ts';
import { maxAttempts } from '../../../../domain/publishing/deliveries/moves.ts';
import { type Misbehaviour, smtpLogin, startSmtpServer } from '../../../support/smtp-server.ts';
import { mailFrom, useLab } from './lab.ts';

const lab = useLab();

interface Case {
  server: Misbehaviour;
  /** After one attempt. */
  status: string;
  /** The mails that the server has after it. */
  mails: number;
  error?: RegExp;
}

const cases: Record<string, Case> = {
  'refuses the login': {
    server: { refuse: { at: 'login', with: `535 Not ${smtpLogin.password}` } },
    status: 'pending',
    mails: 0,
    error: /535 Not \*{8}/,
  },
  'answers 451 to the recipient': {
    server: { refuse: { at: 'recipient', with: '451 Try later' } },
    status: 'pending',
    mails: 0,
    error: /451 Try later/,
  },
  'answers 550 to the recipient': {
    server: { refuse: { at: 'recipient', with: '550 No such user' } },
    status: 'failed',
    mails: 0,
    error: /550 No such user/,
  },
  'answers 452 to the content': {
    server: { refuse: { at: 'answer', with: '452 Disk full' } },
    status: 'pending',
    mails: 0,
    error: /452 Disk full/,
  },
  'answers 554 to the content': {
    server: { refuse: { at: 'answer', with: '554 Looks like spam' } },
    status: 'failed',
    mails: 0,
    error: /554 Looks like spam/,
  },
  'drops the connection at the recipient': {
    server: { drop: 'recipient' },
    status: 'pending',
    mails: 0,
    error: /./,
  },
  'drops the connection after the final dot': {
    server: { drop: 'answer' },
    status: 'uncertain',
    mails: 1,
    error: /response is unknown/,
  },
  'never greets': {
    server: { silentAt: 'greeting' },
    status: 'pending',
    mails: 0,
    error: /Greeting never received|2 seconds/,
  },
  'never answers to the recipient': {
    server: { silentAt: 'recipient' },
    status: 'pending',
    mails: 0,
    error: /2 seconds/,
  },
  'never answers to the content': {
    server: { silentAt: 'answer' },
    status: 'uncertain',
    mails: 1,
    error: /2 seconds/,
  },
  'answers slowly': { server: { answerDelayMs: 1_000 }, status: 'delivered', mails: 1 },
};

describe('of a mail whose server', () => {
  test.each(Object.entries(cases))('%s, the row says what is certain', async (_what, expected) => {
    const { server } = lab;
    const id = await lab.addMail();
    server.misbehaviour = expected.server;
    const attempt = await lab.attempt(id);
    const row = await lab.row(id);
    expect(attempt.status).toBe(expected.status);
    expect([row.status, row.attempts, server.mails.length]).toEqual([expected.status, 1, expected.mails]);
    expect(JSON.stringify(row)).not.toContain(smtpLogin.password);
    if (expected.error === undefined) {
      expect(row).toMatchObject({ error: null, receipt: expect.stringMatching(/^250 OK: queued/) });
      expect(row.delivered_at).not.toBeNull();
    } else {
      expect(row.error).toMatchObject({ message: expect.stringMatching(expected.error) });
      expect([row.receipt, row.delivered_at]).toEqual([null, null]);
    }
    // The server works again: only mails that it certainly did not receive are sent again.
    server.misbehaviour = {};
    await lab.attempt(id);
    const wasPending = expected.status === 'pending';
    expect((await lab.row(id)).status).toBe(wasPending ? 'delivered' : expected.status);
    expect(server.mails).toHaveLength(wasPending ? 1 : expected.mails);
  });

  test('drops the connection before the final dot, it is sent again', async () => {
    const { server } = lab;
    const path = `/v1/projects/${lab.projectId}/files`;
    const content = 'a,b\n'.repeat(2_000_000);
    const file = await lab.client.call('PUT', `${path}/content?path=large.csv`, { body: { content } });
    const fileId = file.body.data.id as string;
    const id = await lab.addMail({ attachments: [{ type: 'file', fileId, name: 'large.csv' }] });
    const deps = { ...lab.deps, mailer: createMailer({ server: parseSmtpUrl(server.url), from: mailFrom }) };
    server.misbehaviour = { drop: 'content' };
    expect((await lab.attempt(id, deps)).status).toBe('pending');
    expect(server.mails).toEqual([]);
    server.misbehaviour = {};
    expect((await lab.attempt(id, deps)).status).toBe('delivered');
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]!.messageId).toBe(`<${id}@example.com>`);
  });

  test('is away for good, attempts end after about an hour with the last reason', async () => {
    const id = await lab.addMail();
    const { sessions } = lab.server;
    lab.server.misbehaviour = { refuse: { at: 'recipient', with: '451 Try later' } };
    let waitedMs = 0;
    for (;;) {
      const attempt = await lab.attempt(id);
      if (attempt.status !== 'pending') break;
      waitedMs += attempt.retryAfterMs;
    }
    expect(await lab.row(id)).toMatchObject({
      status: 'failed',
      attempts: maxAttempts,
      error: { code: 'mail_refused', message: expect.stringContaining('451 Try later') },
    });
    expect(lab.server.sessions - sessions).toBe(maxAttempts);
    expect(waitedMs / 60_000).toBeGreaterThan(50);
    expect(waitedMs / 60_000).toBeLessThan(70);
  });

  test('is set by nobody, it fails at once and says who can help', async () => {
    const id = await lab.addMail();
    expect(await lab.attempt(id, { ...lab.deps, mailer: createMailer(undefined) })).toEqual({
      status: 'failed',
    });
    expect(await lab.row(id)).toMatchObject({ status: 'failed', error: { message: noMailServer } });
  });

  test('is not there, it is tried again', async () => {
    const gone = await startSmtpServer();
    await gone.close();
    const id = await lab.addMail();
    const mailer = createMailer({ server: parseSmtpUrl(gone.url), from: mailFrom });
    expect(await lab.attempt(id, { ...lab.deps, mailer })).toEqual({
      status: 'pending',
      retryAfterMs: 15_000,
    });
  });
});
