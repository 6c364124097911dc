import { AppError, isRetryable } from '../../../data/errors.ts';
import { derivedId } from '../../../data/ids.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { withOutputLimit } from '../staging/output-limit.ts';
import { newAttemptUrl, removeBelow, type StagedWork, sizeBelow } from '../staging/staging.ts';
import { reserveTable, tableStates } from '../tables/registry.ts';
import { replaceWithFiles } from '../tables/replace.ts';
import { type Limits, limitsOfStatement, type RunTest, type RunTestsDeps, type Tested } from './run-tests.ts';

export interface FailingRowsDeps extends RunTestsDeps {
  lake: LakeDeps;
  objects: ObjectStore;
}

/** What is shown of the rows that failed a test. */
export interface FailingRows {
  sample: Record<string, unknown>[];
  /** The table that has them, if they are kept. */
  tableId: string | null;
  /** Why there is none, where there should be one. */
  message: string | null;
}

const mostRows = limits.tests.failingRows.most;
const mostBytes = limits.tests.failingBytes.most;
const sampleRows = 10;
const nothing: FailingRows = { sample: [], tableId: null, message: null };

export interface Place {
  organizationId: string;
  runId: string;
  runStartedAt: Date;
  tableId: string;
  /** There are enough tables of failing rows. */
  onlySample?: boolean;
}

/**
 * Keeps the rows that failed a test as a table of their own, and shows some of them. Its id follows from the
 * run, so an attempt after a crash finds what the one before has made. Rows that cannot be kept are no reason
 * to fail: what the test says stands.
 */
export async function keepFailingRows(
  deps: FailingRowsDeps,
  tested: Tested,
  result: RunTest,
  place: Place,
  limits: Limits,
): Promise<FailingRows> {
  const { test, failing } = result;
  if (failing === undefined || !test.keepRows) return nothing;
  try {
    const sample = await sampleOf(deps, tested, failing, limits);
    // One row of figures, which the sample shows.
    if (test.kind === 'row_count' || test.kind === 'freshness') return { ...nothing, sample };
    if (place.onlySample === true)
      return {
        ...nothing,
        sample,
        message:
          "The failing rows of this test aren't stored, because other tests of this run already fill the tables of failing rows.",
      };
    return { ...nothing, sample, tableId: await keep(deps, tested, result, place, limits) };
  } catch (error) {
    if (limits.signal.aborted || !(error instanceof AppError) || isRetryable(error)) throw error;
    return { ...nothing, message: `The failing rows could not be kept: ${error.message.slice(0, 1_000)}` };
  }
}

type Failing = NonNullable<RunTest['failing']>;

async function sampleOf(
  { builds }: FailingRowsDeps,
  { location, atVersions }: Tested,
  { sql, relations }: Failing,
  limits: Limits,
): Promise<Record<string, unknown>[]> {
  const { rowsWithColumnOrderJson: json } = await builds.perform(
    {
      ...{ kind: 'run', location, sql: `SELECT * FROM (${sql}\n) AS f LIMIT ${sampleRows}`, relations },
      ...{ atVersions, parameters: [], tableSources: [], limit: sampleRows },
      rowFormat: 'rows_with_column_order',
    },
    limitsOfStatement(limits),
  );
  const rows = JSON.parse(json ?? '[]') as { name: string; value: unknown }[][];
  const sample: Record<string, unknown>[] = [];
  let left = mostSampleCharacters;
  for (const row of rows) {
    const shown = Object.fromEntries(row.map(({ name, value }) => [name, cut(value)]));
    left -= JSON.stringify(shown).length;
    if (left < 0) break;
    sample.push(shown);
  }
  return sample;
}

/** A sample is for the eye: what is longer is in the table of failing rows. */
const mostSampleCharacters = 32_768;
const mostCellCharacters = 500;

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text !== undefined && text.length > mostCellCharacters
    ? `${text.slice(0, mostCellCharacters)}…`
    : value;
}

async function keep(
  deps: FailingRowsDeps,
  { location, atVersions }: Tested,
  { test, failing }: RunTest,
  { organizationId, runId, runStartedAt, tableId }: Place,
  limits: Limits,
): Promise<string> {
  const { sql, relations } = failing!;
  const which = `${runId} ${tableId} ${test.definitionId}`;
  const id = derivedId('tbl', runStartedAt.getTime(), `failures of ${which}`);
  const name = `failures_${id.slice(4)}`;
  const operationId = `create:${id}`;
  const work: StagedWork = { organizationId, id, operationId, manifestKey: '' };
  const prefixUrl = await newAttemptUrl(deps, work);
  const built = await withOutputLimit(
    {
      ...{ written: () => sizeBelow(deps, prefixUrl), maxBytes: mostBytes, signal: limits.signal },
      advice: 'Set keep_rows to false in the definition.',
    },
    (until) =>
      deps.builds.perform(
        {
          ...{ kind: 'build', location, relations, atVersions, prefixUrl },
          sql: `SELECT * FROM (${sql}\n) AS f LIMIT ${mostRows}`,
          ...{ increment: null, added: undefined },
        },
        { ...limitsOfStatement(limits), signal: until, untilSettled: true },
      ),
  ).catch(async (error: unknown) => {
    await removeBelow(deps, prefixUrl).catch(() => undefined);
    throw error;
  });
  await inOrganization(deps.db, organizationId, (db) =>
    reserveTable(db, {
      ...{ organization_id: organizationId, id, name, kind: 'system', failures_of: tableId },
      description: `Rows that failed ${test.name} in ${runId}.`,
    }),
  );
  const staged = {
    columns: built.columns.map((column) => ({ ...column, nullable: true, typing: 'declared' as const })),
    ...{ files: built.files, rows: built.rows },
  };
  const commit = { organizationId, tableId: id, tableName: name, staged, operationId };
  await replaceWithFiles(deps.lake, { ...commit, runId, committedBy: 'service', beside: undefined });
  await inOrganization(deps.db, organizationId, (db) =>
    tableStates.move(db, { organization_id: organizationId, id }, 'creating', 'ready'),
  );
  return id;
}
