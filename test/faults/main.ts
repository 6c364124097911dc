import { parseArgs } from 'node:util';
import { summary } from './journal.ts';
import { focuses } from './plan.ts';
import { runFaults } from './run.ts';

const usage = 'Usage: npm run faults -- [--rounds N] [--seed N] [--focus copies|maintenance] [--keep]';

/** Long fault injection; exits with 1 if an invariant is violated, 2 if the run failed. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string' },
      seed: { type: 'string' },
      focus: { type: 'string' },
      keep: { type: 'boolean' },
    },
  });
  const rounds = Number(values.rounds ?? 10);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const focus = focuses.find((name) => name === values.focus);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 500 || !Number.isInteger(seed))
    throw new Error(usage);
  if (focus !== values.focus) throw new Error(usage);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());
  const report = (line: string) => void process.stdout.write(`${line}\n`);
  report(`Seed ${seed}, ${rounds} rounds.`);
  const journal = await runFaults({
    rounds,
    seed,
    faultsPerRound: 5,
    focus,
    longPauses: true,
    keep: values.keep ?? false,
    report,
    signal: stop.signal,
  });
  report(summary(journal));
  report(`\nSeed ${seed}: ${journal.isClean() ? 'every invariant held' : 'BREACHED'}.`);
  if (stop.signal.aborted) return 130;
  return journal.isClean() ? 0 : 1;
}

try {
  process.exit(await main());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
}
