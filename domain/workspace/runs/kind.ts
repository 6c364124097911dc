import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ProcessStart } from '../../../data/postgres/process-starts.ts';
import type { ProcessKind } from '../../../data/processes/define.ts';
import { type ProcessDeps, startRecorded } from '../../../data/processes/processes.ts';
import type { RunKind } from './kinds.ts';
import { findRun, type Run } from './runs.ts';
import { waiterOf } from './waiter.ts';

type Memo = Record<string, string>;

/**
 * The definition of a kind of run: everything that is the same for all its runs. They are cancelled, followed
 * and waited for by their rows in `runs`, in the same way for every kind.
 */
interface RunKindDefinition<Row, Input extends { organizationId: string }> {
  /** What they are called in logs, in the plural: `exports`. */
  name: string;
  /** The values of their column `kind`. */
  kinds: readonly RunKind[];
  process: ProcessKind<Input>;
  /** The row of its own that a run starts and ends by, of the same id; a run that has none is left alone. */
  find(db: OrganizationTransaction, run: Run): Promise<Row | undefined>;
  /** The input of its process, without the process that waits for it. */
  input(row: Row, run: Run): Input;
  /** API address of its resource, which operators see with the process. */
  address(row: Row, run: Run): string;
  /** One line for the operator; left out, the title of the run. */
  summary?(db: OrganizationTransaction, row: Row, run: Run): string | Promise<string>;
}

export interface DefinedRunKind<Row>
  extends Pick<RunKindDefinition<Row, { organizationId: string }>, 'name' | 'kinds' | 'find'> {
  process: Pick<ProcessKind<{ organizationId: string }>, 'whenTerminated'>;
  /** The start of a run's process, for the request that makes the run and for the reconciler alike. */
  startOf(db: OrganizationTransaction, row: Row, run: Run, memo?: Memo): Promise<ProcessStart>;
}

export function defineRunKind<Row, Input extends { organizationId: string }>(
  definition: RunKindDefinition<Row, Input>,
): DefinedRunKind<Row> {
  const { process, input, address, summary } = definition;
  return {
    ...definition,
    startOf: async (db, row, run, memo = {}) =>
      process.startOf(
        { ...input(row, run), ...waiterOf(run) },
        {
          summary: summary === undefined ? run.title : await summary(db, row, run),
          address: address(row, run),
          memo,
          ...(run.project_id === null ? {} : { projectId: run.project_id }),
        },
      ),
  };
}

/** For kinds whose run is all that they need. */
export const runItself = async (_: OrganizationTransaction, run: Run): Promise<Run> => run;

interface NewRun<Row> {
  organizationId: string;
  /** Known beforehand: a repeated request finds the first one's run. */
  runId: string;
  /** Details of the request that the process keeps. */
  memo?: Memo | undefined;
  /** Adds the run and its row, or finds another run that is as good. */
  make(db: OrganizationTransaction): Promise<Row>;
  /** Removes what `make` added. */
  undo(db: OrganizationTransaction, row: Row): Promise<unknown>;
}

/**
 * Starts a run: its rows and the outbox entry of its process are one commit. If the process certainly did not
 * start, they are removed again.
 *
 * @throws AppError workflows_unavailable, and what `make` throws
 */
export async function startRun<Row extends { id: string }>(
  deps: ProcessDeps,
  kind: DefinedRunKind<Row>,
  { organizationId, runId, memo, make, undo }: NewRun<Row>,
): Promise<{ row: Row; run: Run }> {
  const { row: started } = await startRecorded<{ row: Row; run: Run }>(deps, organizationId, {
    find: (db) => findRunAndRow(db, kind, organizationId, runId),
    make: async (db) => {
      const row = await make(db);
      return { row, run: (await findRun(db, organizationId, row.id))! };
    },
    isEarlier: ({ run }) => run.id !== runId,
    startOf: ({ row, run }, db) => kind.startOf(db, row, run, memo),
    undo: (db, { row }) => undo(db, row),
  });
  return started;
}

/** A run of this kind and its row; undefined if either is gone. */
export async function findRunAndRow<Row>(
  db: OrganizationTransaction,
  kind: Pick<DefinedRunKind<Row>, 'find'>,
  organizationId: string,
  runId: string,
): Promise<{ row: Row; run: Run } | undefined> {
  const run = await findRun(db, organizationId, runId);
  const row = run && (await kind.find(db, run));
  return run && row && { row, run };
}
