import { setImmediate as turn } from 'node:timers/promises';
import { RE2JS } from 're2js';
import { AppError } from '../../../data/errors.ts';

/** Instructions of a compiled pattern: `(a{1000}){1000}` is short, and would take long. */
const mostInstructions = 2_000;
/** How long names are looked at without a turn for others, and in all. */
const turnMs = 5;
const mostMs = 3_000;

/** RE2, which takes time linear in the name. @throws Error if it does not compile, or is too large */
export function compilePattern(pattern: string): RE2JS {
  const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  if (compiled.programSize() > mostInstructions) throw new Error('it is too large. Repeat fewer parts');
  return compiled;
}

/**
 * The names in which each pattern is found. Other work of the process gets its turn meanwhile.
 *
 * @throws AppError conflict where it takes too long in all
 */
export async function matchNames(
  patterns: Iterable<string>,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  let spentMs = 0;
  let sinceMs = performance.now();
  for (const pattern of patterns) {
    if (found.has(pattern)) continue;
    const compiled = compilePattern(pattern);
    const matched = new Set<string>();
    found.set(pattern, matched);
    for (const [at, name] of names.entries()) {
      if (compiled.test(name)) matched.add(name);
      if (at % 64 !== 63 || performance.now() - sinceMs < turnMs) continue;
      spentMs += performance.now() - sinceMs;
      if (spentMs > mostMs) throw tooLong();
      await turn();
      sinceMs = performance.now();
    }
  }
  return found;
}

const tooLong = () =>
  new AppError(
    'conflict',
    'Comparing the name patterns of the test definitions with so many tables takes too long. Select tables by project or tier, or write shorter patterns.',
  );
