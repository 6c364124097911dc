import { parseArgs } from 'node:util';
import { createJournal } from '../faults/journal.ts';
import { startStackUnderTest } from '../faults/stack-under-test.ts';
import { type FuzzRound, prepareSchemathesis, type RunRound } from './schemathesis.ts';

const usage = 'Usage: npm run fuzz-contract -- [--cases N] [--minutes N] [--seed N] [--keep]';
const examplesPerRound = 20;

/**
 * Checks the service against its own OpenAPI document: generated requests, valid and invalid, also in
 * sequences, against a stack of its own. Exits with 1 if a check failed, 2 if the checks could not run.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
      keep: { type: 'boolean' },
    },
  });
  const wanted = numberOf(values.cases, 10_000, 10_000_000);
  const minutes = numberOf(values.minutes, 60, 1_440);
  const seed = numberOf(values.seed, Date.now() % 1_000_000, 1_000_000_000);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());
  const report = (line: string) => void process.stdout.write(`${line}\n`);
  const journal = createJournal(report);
  const stack = await startStackUnderTest({
    journal,
    report,
    onDeath: (part) => journal.breach('stack', `${part} died`),
  });
  try {
    const run = await prepareSchemathesis(stack, report);
    const deadline = AbortSignal.timeout(minutes * 60_000);
    const { cases, failed } = await runRounds(
      run,
      { seed, wanted, report },
      AbortSignal.any([stop.signal, deadline]),
    );
    const isUp = journal.isClean() && (await stack.isUp());
    report(`\n${cases} cases from seed ${seed} on: ${failed.length === 0 ? 'every check held' : 'FAILED'}.`);
    if (failed.length > 0) report(`Rounds with failures: ${failed.join(', ')}.`);
    if (!isUp) report('The stack did not stay up.');
    if (stop.signal.aborted) return 130;
    if (deadline.aborted) report(`It ended after ${minutes} minutes.`);
    return failed.length === 0 && isUp ? 0 : 1;
  } finally {
    await stack.stop(values.keep ?? false);
  }
}

/** The boundaries of every field first, then random rounds, until there were enough. */
async function runRounds(
  run: RunRound,
  { seed, wanted, report }: { seed: number; wanted: number; report: (line: string) => void },
  signal: AbortSignal,
): Promise<{ cases: number; failed: string[] }> {
  const failed: string[] = [];
  let cases = 0;
  for (let index = 0; cases < wanted && !signal.aborted; index += 1) {
    const phases = index === 0 ? 'examples,coverage' : 'fuzzing,stateful';
    const round: FuzzRound = { phases, seed: seed + index, examples: examplesPerRound };
    report(`\nRound ${index + 1}: ${phases}, seed ${round.seed}.`);
    const outcome = await run(round, signal).catch((error: unknown) => {
      if (signal.aborted) return { exitCode: 0, cases: 0 };
      throw error;
    });
    if (outcome.exitCode !== 0) failed.push(`${index + 1} (seed ${round.seed})`);
    if (outcome.exitCode > 1 || (outcome.cases === 0 && !signal.aborted))
      throw new Error(
        `The contract fuzzer ended with exit code ${outcome.exitCode} after ${outcome.cases} cases.`,
      );
    cases += outcome.cases;
  }
  return { cases, failed };
}

function numberOf(text: string | undefined, byDefault: number, most: number): number {
  const number = Number(text ?? byDefault);
  if (!Number.isInteger(number) || number < 1 || number > most) throw new Error(usage);
  return number;
}

try {
  process.exit(await main());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
}
