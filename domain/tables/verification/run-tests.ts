import { AppError, isRetryable, ValidationError } from '../../../data/errors.ts';
import type { LakeLocation } from '../../../data/lake/location.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type { QueryPool, TaskLimits } from '../query/pool/pool.ts';
import type { QueryAnswer, QueryRelation } from '../query/request.ts';
import type { LakeColumn } from '../tables/columns.ts';
import { type CompiledTest, compileTest, type Subject, UnfitTest } from './compile.ts';
import type { EffectiveTest } from './effective-set.ts';
import { compareKey, surveyKey } from './integer-keys.ts';
import { readTest } from './kinds.ts';
import { createScopes, type Scopes, withSubject } from './relations.ts';
import { countFailing, countSampled, fewValued, type RowRule, sampledSets } from './row-rules.ts';
import type { TestResult } from './verifications.ts';

export interface RunTestsDeps {
  db: Database;
  /** Processes for work that nobody waits for on a line. */
  builds: QueryPool;
}

/** Rows of a table at a version, or content that is staged for one. */
export interface Content {
  organizationId: string;
  location: LakeLocation;
  /** The relation that tests read as `this`. */
  subject: QueryRelation;
  /** Snapshots by name. */
  atVersions: ReadonlyMap<string, number>;
}

export interface Tested extends Content {
  /** What new rows alone decide is asked of these, if not of the whole content. */
  newRows?: QueryRelation;
  about: Omit<Subject, 'toTable' | 'newRows'>;
}

export interface Limits {
  /** When all of a table's tests must be done, on the clock of `performance.now`. */
  deadlineMs: number;
  /** Longest wait for a process. */
  waitMs: number;
  signal: AbortSignal;
}

/** The limits of one statement, which has what the ones before it have left. */
export function limitsOfStatement({ deadlineMs, waitMs, signal }: Limits): TaskLimits {
  const timeoutMs = Math.ceil(deadlineMs - performance.now());
  if (timeoutMs > 0) return { timeoutMs, waitMs, signal };
  throw new AppError(
    'query_timeout',
    'The tests of the table took longer than a build may take (BUILD_MINUTES).',
  );
}

const halfOf = (limits: Limits): Limits => ({
  ...limits,
  deadlineMs: (performance.now() + limits.deadlineMs) / 2,
});

/** A test that ran, or could not. */
export interface RunTest {
  test: EffectiveTest;
  status: TestResult['status'];
  failingRows: number | null;
  message: string | null;
  elapsedMs: number;
  /** SELECT of the failing rows, if there are any. */
  failing: { sql: string; relations: readonly QueryRelation[] } | undefined;
}

interface Ready {
  test: EffectiveTest;
  compiled: CompiledTest;
  relations: QueryRelation[];
  /** Tests of one group may name the same relations. */
  group: string;
}

/** More conditions in one statement would make it slow to plan. */
const mostTogether = 500;

/**
 * Runs tests over one content. What a row alone decides is counted in one scan for all such tests; where that
 * statement fails, the tests are parted until the one is found that cannot run. The results are in the order
 * of the tests.
 */
export async function runTests(
  deps: RunTestsDeps,
  tested: Tested,
  tests: readonly EffectiveTest[],
  limits: Limits,
): Promise<RunTest[]> {
  const done = new Map<EffectiveTest, RunTest>();
  const ready: Ready[] = [];
  const scopes = createScopes(deps.db, tested.organizationId, tests);
  for (const test of tests) {
    const prepared = await prepare(scopes, tested, test);
    if ('compiled' in prepared) ready.push(prepared);
    else done.set(test, prepared);
  }
  const keep = (results: readonly RunTest[]) => {
    for (const result of results) done.set(result.test, result);
  };
  const [byRow, others] = [ready.filter(isByRow), ready.filter((test) => !isByRow(test))];
  for (const group of Map.groupBy(byRow, (test) => test.group).values())
    for (let at = 0; at < group.length; at += mostTogether)
      keep(await countTogether(deps, tested, group.slice(at, at + mostTogether), limits));
  for (const test of others) keep([await countAlone(deps, tested, test, limits)]);
  return tests.map((test) => done.get(test)!);
}

const isByRow = ({ compiled }: Ready): boolean => compiled.rule !== undefined;

async function prepare(scopeFor: Scopes, tested: Tested, effective: EffectiveTest): Promise<Ready | RunTest> {
  try {
    const test = readTest(effective.kind, effective.params, ['params']);
    const scope = await scopeFor(test, effective.definedBy);
    const compiled = compileTest(test, {
      ...{ ...tested.about, toTable: scope.toTable },
      ...(tested.newRows === undefined ? {} : { newRows: newRowsName }),
    });
    const subject = compiled.rule === undefined ? tested.subject : (tested.newRows ?? tested.subject);
    const relations = withSubject(subject, scope);
    if (tested.newRows !== undefined && compiled.rule === undefined)
      relations.push({ ...tested.newRows, id: newRowsName, name: newRowsName });
    const group = scope.relations.length === 0 ? '' : effective.definedBy;
    return { test: effective, compiled, relations, group };
  } catch (error) {
    if (error instanceof UnfitTest || error instanceof ValidationError) return failedToRun(effective, error);
    throw error;
  }
}

/** The name by which a test of a key reads the new rows. */
export const newRowsName = '_new_rows';

async function countTogether(
  deps: RunTestsDeps,
  tested: Tested,
  group: readonly Ready[],
  limits: Limits,
): Promise<RunTest[]> {
  const [first] = group;
  if (first === undefined) return [];
  if (group.length === 1) return [await countAlone(deps, tested, first, limits)];
  const rules = group.flatMap(({ compiled }) => compiled.rule ?? []);
  const startedAt = performance.now();
  try {
    const few = await sampleSets(deps, tested, { rules, relations: first.relations }, limits);
    const count = async (sets: ReadonlySet<string>, within: Limits) =>
      rowsOf(await query(deps, tested, countFailing(rules, sets), first.relations, within))[0];
    // Where the sample misled, it may take too much memory or time.
    const row =
      few.size === 0
        ? await count(few, limits)
        : await count(few, halfOf(limits)).catch((error: unknown) => {
            if (limits.signal.aborted || !mayBeOfOne(error)) throw error;
            return count(new Set(), limits);
          });
    const elapsedMs = performance.now() - startedAt;
    return group.map((test, at) => counted(test, Number(row?.[`c${at}`]), elapsedMs));
  } catch (error) {
    if (limits.signal.aborted || !mayBeOfOne(error)) throw error;
    // Parts of it would find no time either.
    if ((error as AppError).code === 'query_timeout')
      return group.map(({ test }) => failedToRun(test, error as AppError, performance.now() - startedAt));
    const half = Math.ceil(group.length / 2);
    return [
      ...(await countTogether(deps, tested, group.slice(0, half), limits)),
      ...(await countTogether(deps, tested, group.slice(half), limits)),
    ];
  }
}

/** The sets of columns among the rules that have few values. */
async function sampleSets(
  deps: RunTestsDeps,
  tested: Tested,
  { rules, relations }: { rules: readonly RowRule[]; relations: readonly QueryRelation[] },
  limits: Limits,
): Promise<Set<string>> {
  const sets = sampledSets(rules);
  if (sets.length === 0) return new Set();
  const [row] = rowsOf(await query(deps, tested, countSampled(sets), relations, limits));
  return fewValued(sets, row);
}

/** Whether the fault may be one test's: what the engine refuses, or what is too much together. */
const mayBeOfOne = (error: unknown): boolean => error instanceof AppError && !isRetryable(error);

async function countAlone(deps: RunTestsDeps, tested: Tested, one: Ready, limits: Limits): Promise<RunTest> {
  const startedAt = performance.now();
  try {
    const differs = await keyDiffers(deps, tested, one, limits);
    const [row] = differs ? [] : rowsOf(await query(deps, tested, one.compiled.count, one.relations, limits));
    return counted(one, differs ? 0 : Number(row?.['failing']), performance.now() - startedAt);
  } catch (error) {
    if (limits.signal.aborted || !mayBeOfOne(error)) throw error;
    return failedToRun(one.test, error as Error, performance.now() - startedAt);
  }
}

/** Whether the values of a key are known to differ, in less time than counting those that do not. */
async function keyDiffers(
  deps: RunTestsDeps,
  tested: Tested,
  { compiled: { integerKey: column }, relations }: Ready,
  limits: Limits,
): Promise<boolean> {
  if (column === undefined) return false;
  const ask = async (sql: string) => rowsOf(await query(deps, tested, sql, relations, limits))[0];
  try {
    const compare = compareKey(column, await ask(surveyKey(column)), tested.about.rows);
    return compare !== undefined && (await ask(compare))?.['differ'] === true;
  } catch (error) {
    if (limits.signal.aborted || !mayBeOfOne(error)) throw error;
    return false;
  }
}

function counted({ test, compiled, relations }: Ready, failingRows: number, elapsedMs: number): RunTest {
  if (failingRows === 0)
    return { test, status: 'passed', failingRows, message: null, elapsedMs, failing: undefined };
  const rows = failingRows === 1 ? '1 row fails' : `${failingRows.toLocaleString('en-US')} rows fail`;
  const isTotal = test.kind === 'row_count' || test.kind === 'freshness';
  return {
    test,
    status: test.severity === 'error' ? 'failed' : 'warned',
    failingRows,
    message: isTotal ? 'The test fails for the table as a whole. The sample has the figures.' : `${rows}.`,
    elapsedMs,
    failing: { sql: compiled.failing, relations },
  };
}

/** A test that could not run, with what the engine says of it. */
export function failedToRun(test: EffectiveTest, error: Error, elapsedMs = 0): RunTest {
  const message = error.message.slice(0, 2_000);
  return { test, status: 'error', failingRows: null, message, elapsedMs, failing: undefined };
}

const rowsOf = ({ rowsJson }: QueryAnswer) => JSON.parse(rowsJson ?? '[]') as Record<string, unknown>[];

/** The columns of the content. */
export async function describeSubject(
  deps: Pick<RunTestsDeps, 'builds'>,
  content: Content,
  limits: Limits,
): Promise<LakeColumn[]> {
  const { columns } = await query(deps, content, 'SELECT * FROM this LIMIT 0', [content.subject], limits);
  return columns.map((column) => ({ ...column, nullable: true, typing: 'declared' }));
}

export async function countRows(
  deps: Pick<RunTestsDeps, 'builds'>,
  content: Content,
  limits: Limits,
): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM this';
  const [row] = rowsOf(await query(deps, content, sql, [content.subject], limits));
  return Number(row?.['n']);
}

function query(
  { builds }: Pick<RunTestsDeps, 'builds'>,
  { location, atVersions }: Content,
  sql: string,
  relations: readonly QueryRelation[],
  limits: Limits,
): Promise<QueryAnswer> {
  return builds.perform(
    {
      ...{ kind: 'run', location, sql, relations, atVersions },
      ...{ parameters: [], tableSources: [], limit: 1, rowFormat: 'rows' },
    },
    limitsOfStatement(limits),
  );
}
