import { expect, onTestFinished, test } from 'vitest';
import { createMailer } from '../../data/mail/mailer.ts';
import { parseSmtpUrl } from '../../data/mail/smtp-url.ts';
import { mailMoods, planMoods, startMailServer } from './mail-server.ts';
import { createMoments } from './moments.ts';

test('the mail server takes, refuses and loses mails as its mood is, and keeps what it took', async () => {
  const server = await startMailServer(createMoments());
  onTestFinished(() => server.close());
  const mailer = createMailer({
    server: parseSmtpUrl(server.url),
    from: { name: 'Reports', address: 'reports@example.com' },
    timeouts: { connectMs: 2_000, envelopeMs: 1_000, contentMs: 1_500 },
  });
  const outcomes = new Map<string, string>();
  for (const mood of mailMoods) {
    if (mood === 'slow') continue;
    await server.be(mood);
    const mail = { to: 'ada@example.com', subject: mood, text: mood, attachments: [], id: mood };
    outcomes.set(mood, (await mailer.send(mail, { beforeData: async () => {} })).kind);
  }
  expect(Object.fromEntries(outcomes)).toEqual({
    well: 'accepted',
    silent: 'uncertain',
    dropsContent: 'uncertain',
    dropsAnswer: 'uncertain',
    full: 'refused',
    away: 'refused',
  });
  await server.be('well');
  expect(server.messageIds()).toEqual(['well', 'silent', 'dropsAnswer'].map((id) => `${id}@example.com`));
});

test('every mood comes before the first comes again, and some rounds are well', () => {
  const moods = planMoods(1, 60);
  const bad = moods.filter((mood) => mood !== 'well');
  const each = mailMoods.length - 1;
  expect(new Set(bad.slice(0, each)).size).toBe(each);
  expect(moods.length - bad.length).toBeGreaterThan(5);
  expect(planMoods(1, 60)).toEqual(moods);
});
