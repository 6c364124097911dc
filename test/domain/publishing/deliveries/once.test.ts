import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { giveUpDelivery } from '../../../../domain/publishing/deliveries/attempt.ts';
import { deliveryStates } from '../../../../domain/publishing/deliveries/deliveries.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Misbehaviour } from '../../../support/smtp-server.ts';
import { mailFrom, useLab } from './lab.ts';

const lab = useLab();

const statuses = Object.keys(deliveryStates.transitions) as (keyof typeof deliveryStates.transitions)[];

/** Puts a delivery into a state that attempts alone cannot reach. */
const place = async (status: string) => {
  const id = await lab.addMail();
  await lab.run(`UPDATE deliveries SET status = '${status}' WHERE id = '${id}'`);
  return id;
};

const move = async (id: string, from: (typeof statuses)[number], to: (typeof statuses)[number]) => {
  const { organizationId: organization_id } = lab.client;
  return inOrganization(lab.deps.db, organization_id, async (db) =>
    deliveryStates.move(db, { organization_id, id }, from, to),
  );
};

describe('a delivery', () => {
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))(
    'from %s to %s moves where the table says so, and once',
    async (from, to) => {
      const id = await place(from);
      if (!deliveryStates.transitions[from].includes(to)) {
        await expect(move(id, from, to)).rejects.toThrow(`from ${from} to ${to}`);
        return;
      }
      const moved = await move(id, from, to);
      expect(moved?.status).toBe(to);
      expect(moved?.delivered_at !== null).toBe(to === 'delivered');
      expect(await move(id, from, to)).toBeUndefined();
    },
  );

  test.each(statuses.filter(deliveryStates.isEnd))('that is %s is not attempted again', async (status) => {
    const id = await place(status);
    const { sessions } = lab.server;
    expect(await lab.attempt(id)).toEqual({ status });
    expect([lab.server.sessions - sessions, (await lab.row(id)).attempts]).toEqual([0, 0]);
  });

  test('that is found in the midst of sending is uncertain, and not sent again', async () => {
    const id = await place('sending');
    expect(await lab.attempt(id)).toEqual({ status: 'uncertain' });
    expect(await lab.attempt(id)).toEqual({ status: 'uncertain' });
    expect((await lab.row(id)).error).toMatchObject({ code: 'delivery_uncertain' });
    expect(lab.server.mails).toEqual([]);
  });

  test('beyond what an organization may send in a day fails and says so', async () => {
    const first = await lab.addMail();
    expect(await lab.attempt(first)).toEqual({ status: 'delivered' });
    const own = `WHERE organization_id = '${lab.client.organizationId}'`;
    const { rows } = (await lab.run(`SELECT sum(sent)::int AS sent FROM mail_counts ${own}`)) as {
      rows: { sent: number }[];
    };
    const deps = { ...lab.deps, mailsPerDay: rows[0]!.sent };
    // Sent mails count, whatever happened to their schedule.
    await lab.run(`DELETE FROM deliveries WHERE id = '${first}'`);
    const sent = lab.server.mails.length;
    const id = await lab.addMail();
    expect(await lab.attempt(id, deps)).toEqual({ status: 'failed' });
    expect(lab.server.mails).toHaveLength(sent);
    expect((await lab.row(id)).error).toMatchObject({ message: expect.stringContaining('MAILS_PER_DAY') });
    expect(await lab.attempt(await lab.addMail(), { ...deps, mailsPerDay: deps.mailsPerDay + 1 })).toEqual({
      status: 'delivered',
    });
  });

  test('of another organization is not attempted', async () => {
    const id = await lab.addMail();
    const { organizationId } = await lab.workspace.organization();
    const { attemptDelivery } = await import('../../../../domain/publishing/deliveries/attempt.ts');
    expect(await attemptDelivery(lab.deps, { organizationId, deliveryId: id })).toEqual({ status: 'failed' });
    expect([lab.server.mails.length, (await lab.row(id)).status]).toEqual([0, 'pending']);
  });

  test('that nobody could attempt is given up by what its row says', async () => {
    const { organizationId } = lab.client;
    const given = (deliveryId: string) => giveUpDelivery(lab.deps, { organizationId, deliveryId });
    const [pending, sending, delivered] = [
      await place('pending'),
      await place('sending'),
      await place('delivered'),
    ];
    expect(await given(pending)).toEqual({ status: 'failed' });
    expect(await given(sending)).toEqual({ status: 'uncertain' });
    expect(await given(delivered)).toEqual({ status: 'delivered' });
    expect((await lab.row(pending)).error).toMatchObject({ message: expect.stringContaining('prepare') });
  });
});

describe('attempts at once', () => {
  test.each([0, 40, 80, 120, 160, 300])('%d ms apart send one mail at most', async (apartMs) => {
    const { server } = lab;
    server.misbehaviour = { answerDelayMs: 100 };
    const ids = await Promise.all(Array.from({ length: 4 }, () => lab.addMail()));
    await Promise.all(
      ids.flatMap((id) =>
        [0, 1, 2].map(async (nth) => {
          await new Promise((resolve) => setTimeout(resolve, nth * apartMs));
          await lab.attempt(id);
        }),
      ),
    );
    for (const id of ids) {
      const row = await lab.row(id);
      const mails = server.mails.filter(({ messageId }) => messageId === `<${id}@example.com>`).length;
      expect([`delivered 1`, `uncertain 1`, `uncertain 0`]).toContain(`${row.status} ${mails}`);
    }
  });

  test('a slow one that was overtaken before it sent does not send', async () => {
    const { server } = lab;
    const id = await lab.addMail();
    const held = Promise.withResolvers<void>();
    const isAtData = Promise.withResolvers<void>();
    const slow = lab.attempt(id, {
      ...lab.deps,
      mailer: {
        send: (mail, { beforeData }) =>
          lab.deps.mailer.send(mail, {
            beforeData: async () => {
              isAtData.resolve();
              await held.promise;
              await beforeData();
            },
          }),
      },
    });
    await isAtData.promise;
    expect(await lab.attempt(id)).toEqual({ status: 'delivered' });
    held.resolve();
    expect(await slow).toEqual({ status: 'delivered' });
    expect([server.mails.length, (await lab.row(id)).attempts]).toEqual([1, 2]);
  });
});

describe('where PostgreSQL is away', () => {
  test('when the server has answered, the answer is written down when it is back', async () => {
    const id = await lab.addMail();
    lab.server.misbehaviour = {
      onMail: async () => {
        await lab.run('ALTER TABLE deliveries RENAME TO deliveries_away');
        setTimeout(() => void lab.run('ALTER TABLE deliveries_away RENAME TO deliveries'), 700);
      },
    };
    expect(await lab.attempt(id)).toEqual({ status: 'delivered' });
    expect((await lab.row(id)).receipt).toMatch(/^250 OK/);
    expect(lab.server.mails).toHaveLength(1);
  });

  test('before the content, with the row moved or not, nothing is sent and it is pending', async () => {
    const id = await lab.addMail();
    const lost = new Error('The connection was lost at the commit.');
    const mailer: typeof lab.deps.mailer = {
      send: (mail, { beforeData }) =>
        lab.deps.mailer.send(mail, {
          beforeData: async () => {
            await beforeData();
            throw lost;
          },
        }),
    };
    await expect(lab.attempt(id, { ...lab.deps, mailer })).rejects.toBe(lost);
    expect([(await lab.row(id)).status, lab.server.mails.length]).toEqual(['pending', 0]);
    expect(await lab.attempt(id)).toEqual({ status: 'delivered' });
    expect(lab.server.mails).toHaveLength(1);
  });
});

/** An attempt in its own process, which is killed when the server has reached this point. */
async function killedAttempt(id: string, server: (kill: () => void) => Misbehaviour): Promise<void> {
  const script = fileURLToPath(new URL('./attempt-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, lab.client.organizationId, id], {
    env: {
      ...process.env,
      DATABASE_URL: lab.workspace.databaseUrl,
      SMTP_URL: lab.server.url,
      SMTP_FROM: mailFrom.address,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exited = once(child, 'exit');
  lab.server.misbehaviour = server(() => child.kill('SIGKILL'));
  expect((await exited)[1]).toBe('SIGKILL');
  lab.server.misbehaviour = {};
}

describe('a process that is killed', () => {
  test('between the content and its answer leaves a delivery that is uncertain, and sent once', async () => {
    const id = await lab.addMail();
    await killedAttempt(id, (kill) => ({ onMail: kill, silentAt: 'answer' }));
    expect((await lab.row(id)).status).toBe('sending');
    expect(await lab.attempt(id)).toEqual({ status: 'uncertain' });
    expect([lab.server.mails.length, (await lab.row(id)).attempts]).toEqual([1, 1]);
  });

  test('before the content leaves one that is sent by the next attempt', async () => {
    const id = await lab.addMail();
    await killedAttempt(id, (kill) => {
      void eventually(
        () => lab.row(id),
        ({ attempts }) => attempts === 1,
      ).then(kill);
      return { silentAt: 'recipient' };
    });
    expect((await lab.row(id)).status).toBe('pending');
    expect(await lab.attempt(id)).toEqual({ status: 'delivered' });
    expect([lab.server.mails.length, (await lab.row(id)).attempts]).toEqual([1, 2]);
  });
});
