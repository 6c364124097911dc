import { freePort } from '../../local/ports.ts';
import { type Misbehaviour, startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import type { Moments } from './moments.ts';
import { createRandom } from './random.ts';

/** The mail server's behaviour in a round. */
export const mailMoods = ['well', 'slow', 'silent', 'dropsContent', 'dropsAnswer', 'full', 'away'] as const;
export type MailMood = (typeof mailMoods)[number];

/**
 * The mail server of the stack under test: it restarts at the same address with all mails that it ever
 * accepted.
 */
export interface FaultMailServer {
  url: string;
  /**
   * The Message-ID of every mail that it accepted, without brackets; one that was sent twice is listed twice.
   */
  messageIds(): string[];
  be(mood: MailMood): Promise<void>;
  close(): Promise<void>;
}

const misbehaviours: Record<Exclude<MailMood, 'away'>, Misbehaviour> = {
  well: {},
  slow: { answerDelayMs: 4_000 },
  // Its client waits until its timeout, or is killed before that.
  silent: { silentAt: 'answer' },
  dropsContent: { drop: 'content' },
  dropsAnswer: { drop: 'answer' },
  full: { refuse: { at: 'recipient', with: '452 Too much is stored for now' } },
};

/**
 * Its mood in every round: a third of them are good, so that mails waiting for another attempt get through.
 */
export function planMoods(seed: number, rounds: number): MailMood[] {
  const random = createRandom(seed, 'mail server');
  let cards: MailMood[] = [];
  return Array.from({ length: rounds }, () => {
    if (random.chance(0.33)) return 'well';
    if (cards.length === 0) cards = random.shuffle(mailMoods.filter((mood) => mood !== 'well'));
    return cards.pop()!;
  });
}

export async function startMailServer(moments: Moments): Promise<FaultMailServer> {
  // It must be known before the server starts, and the same after every restart.
  const port = await freePort();
  const started: TestSmtpServer[] = [];
  let current: TestSmtpServer | undefined;

  async function start(): Promise<TestSmtpServer> {
    const server = await startSmtpServer({ port });
    started.push(server);
    return server;
  }

  current = await start();
  return {
    url: current.url,
    messageIds: () =>
      started.flatMap(({ mails }) => mails.map(({ messageId }) => messageId?.slice(1, -1) ?? 'none')),
    async be(mood) {
      // A client that waits for an answer that never comes would wait for minutes.
      const isSilent = current?.misbehaviour.silentAt !== undefined;
      if (mood === 'away' || isSilent) {
        await current?.close();
        current = undefined;
      }
      if (mood === 'away') return;
      current ??= await start();
      current.misbehaviour = { ...misbehaviours[mood], onMail: () => moments.comes('mailing') };
    },
    async close() {
      await current?.close();
    },
  };
}
