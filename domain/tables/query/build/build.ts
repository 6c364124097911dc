import type { Engine } from '../process/engine.ts';
import { shownFailure } from '../process/failure.ts';
import { type Interruption, inReadTransaction, stopIfInterrupted } from '../process/transaction.ts';
import { type Build, buildAddedRows, buildGroups, buildWhole, mergeGroups } from './content.ts';
import type { BuildTask, Built } from './contract.ts';
import { shapeOf } from './shape.ts';

/**
 * Checks a definition and writes its rows to files that nothing refers to yet. The statement only reads the
 * lake; the folder is one of the organization's own, outside of which the engine reaches nothing. What can be
 * built only in the plain way is: a shorter way that fails is as if there were none.
 */
export async function buildFiles(
  engine: Engine,
  task: BuildTask,
  interruption: Interruption,
): Promise<Built> {
  const { increment, added } = task;
  const ways = [
    ...(added !== undefined && increment?.kind === 'rows' ? [buildAddedRows] : []),
    ...(added !== undefined && increment?.kind === 'groups' ? [mergeGroups] : []),
    ...(increment?.kind === 'groups' ? [buildGroups] : []),
  ];
  for (const way of ways) {
    const built = await reading(engine, task, interruption, way).catch((error: unknown) => {
      if (isFinal(error, task, interruption)) throw error;
    });
    if (built !== undefined) return built;
  }
  return reading(engine, task, interruption, buildWhole);
}

/** Whether the plain way would fail too: the store is away, a limit is reached, or nobody waits any more. */
function isFinal(error: unknown, { location }: BuildTask, { isRequested }: Interruption): boolean {
  const { code, broken } = shownFailure(error, location, true);
  return isRequested || broken !== 'nothing' || (code !== 'query_failed' && code !== 'version_expired');
}

/** Runs one way. */
function reading<Result>(
  engine: Engine,
  task: BuildTask,
  interruption: Interruption,
  way: (build: Build) => Promise<Result>,
): Promise<Result> {
  const { connection, parser } = engine;
  return inReadTransaction(engine, interruption, async () => {
    const shape = await shapeOf(connection, task.atVersions);
    const built = await way({ connection, parser, task, shape });
    stopIfInterrupted(interruption);
    return built;
  });
}
