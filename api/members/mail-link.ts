import { inOrganization } from '../../data/postgres/client.ts';
import { countMail } from '../../domain/publishing/deliveries/mail-count.ts';
import type { AccountLink } from '../../domain/workspace/people/links.ts';
import type { ApiDeps } from '../deps.ts';

const subjects: Readonly<Record<AccountLink['kind'], string>> = {
  owner: 'Your new workspace',
  invitation: 'You are invited to a workspace',
  password: 'Choose a new password',
};

/**
 * Mails a one-time address, where mail is configured. The answer to the caller shows the link too, without
 * the part that proves who reads the mail, so a lost mail loses little: the request does not wait for it,
 * and a failure is only logged.
 */
export function mailLink(
  { db, mailer, mailsPerDay, logger }: Pick<ApiDeps, 'db' | 'mailer' | 'mailsPerDay' | 'logger'>,
  link: AccountLink,
  url: string,
): void {
  const { organization_id: organizationId, id: linkId, email: to, kind, expires_at: expiresAt } = link;
  const text = `${url}\n\nThe link works once, until ${expiresAt.toUTCString()}.\n`;
  const beforeData = () =>
    inOrganization(db, organizationId, (transaction) => countMail(transaction, organizationId, mailsPerDay));
  mailer
    .send({ to, subject: subjects[kind], text, attachments: [], id: linkId }, { beforeData })
    .then((outcome) => {
      if (outcome.kind !== 'accepted') logger.info({ linkId, outcome: outcome.kind }, 'a mail was not sent');
    })
    .catch((err: unknown) => logger.warn({ err, linkId }, 'a mail was not sent'));
}
