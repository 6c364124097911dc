import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

/**
 * Counts a mail about to be sent. Users who may schedule can send to any address, which can quickly ruin a
 * mail server's reputation, so an organization's mails are limited within 24 hours. The lock on the hour's
 * row serialises concurrent counts.
 */
export async function countMail(
  db: OrganizationTransaction,
  organizationId: string,
  mailsPerDay: number,
): Promise<void> {
  await sql`DELETE FROM mail_counts
    WHERE organization_id = ${organizationId} AND hour < now() - interval '2 days'`.execute(db);
  await sql`INSERT INTO mail_counts (organization_id, hour, sent) VALUES (${organizationId}, date_trunc('hour', now()), 1)
    ON CONFLICT (organization_id, hour) DO UPDATE SET sent = mail_counts.sent + 1`.execute(db);
  const { rows } = await sql<{ sent: number }>`SELECT sum(sent) AS sent FROM mail_counts
    WHERE organization_id = ${organizationId} AND hour > now() - interval '1 day'`.execute(db);
  if (Number(rows[0]?.sent ?? 0) > mailsPerDay)
    throw new AppError(
      'conflict',
      `The organization has sent ${mailsPerDay} mails within 24 hours, which is the limit (MAILS_PER_DAY, set by the operator).`,
    );
}
