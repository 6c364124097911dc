import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { deliveryAgentActivities } from '../../activities/publishing/agent.ts';
import type { MailOutcome } from '../../data/mail/mail.ts';
import { useLab } from '../domain/publishing/deliveries/lab.ts';
import { expectEventually } from '../support/eventually.ts';

const lab = useLab();

test('a mail server that hangs holds a share of a worker, and others of an organization wait without being counted', async () => {
  const answer = Promise.withResolvers<MailOutcome>();
  let sending = 0;
  const { attemptDelivery } = deliveryAgentActivities({
    ...lab.deps,
    mailer: {
      async send(_mail, { beforeData }) {
        await beforeData();
        sending += 1;
        return answer.promise;
      },
    },
  });
  const attempt = (deliveryId: string, organizationId = lab.client.organizationId) =>
    new MockActivityEnvironment().run(attemptDelivery, { organizationId, deliveryId });
  const ids = await Promise.all(Array.from({ length: 9 }, () => lab.addMail()));
  const late = ids.pop()!;
  const held = ids.map((id) => attempt(id));
  await expectEventually(() => sending).toBe(8);
  expect(await attempt(late)).toEqual({ status: 'pending', retryAfterMs: 30_000 });
  expect(await lab.row(late)).toMatchObject({ status: 'pending', attempts: 0 });
  // Another organization still has room.
  expect(await attempt(late, 'org_other')).toEqual({ status: 'failed' });
  answer.resolve({ kind: 'accepted', receipt: '250 OK' });
  expect(await Promise.all(held)).toEqual(ids.map(() => ({ status: 'delivered' })));
  expect(await attempt(late)).toEqual({ status: 'delivered' });
});
