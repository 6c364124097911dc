import { setPriority } from 'node:os';
import { attacks } from './attacks.ts';
import { type Credentials, openSession } from './session.ts';

/** It stands for clients elsewhere, so its own CPU use must not affect the measurement. */
setPriority(15);

/** A separate process that attacks until it is told to stop, so that its own cost is not measured. */
process.once('message', async (given: Credentials & { attack: string }) => {
  const session = await openSession(given);
  const attack = attacks.find(({ name }) => name === given.attack)!;
  const once = await attack.prepare(session);
  const answers = new Map<string, number>();
  let isOver = false;
  let count = 0;
  process.send!('ready');
  process.on('message', () => {
    isOver = true;
    process.send!(Object.fromEntries(answers), () => process.exit(0));
  });
  async function lane(): Promise<void> {
    while (!isOver) {
      count += 1;
      const answer = String(await once(count).catch((error: Error) => error.message));
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  }
  for (let index = 0; index < attack.atOnce; index += 1) void lane();
});
process.on('disconnect', () => process.exit(0));
