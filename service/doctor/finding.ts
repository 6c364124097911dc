/** What one check found. */
export interface Finding {
  check: string;
  /** `warning`: the service works, but not as well or as long as it should. */
  state: 'ok' | 'warning' | 'failed';
  found: string;
  /** What to do; undefined if nothing is. */
  todo?: string;
  /** Whether a process must not serve: it would show or write what it may not. */
  isFatal?: boolean;
}

/** The result of a check that failed, thrown from within it. */
export class Failed extends Error {
  readonly todo: string;
  readonly isFatal: boolean;

  constructor(found: string, todo: string, { isFatal = false } = {}) {
    super(found);
    this.todo = todo;
    this.isFatal = isFatal;
  }
}

type Found = string | { found: string; todo: string };

const timeoutMs = 5_000;

/** Runs one check. Text is ok, text with something to do is a warning, and what is thrown is a failure. */
export async function checked(
  check: string,
  run: () => Promise<Found> | Found,
  explain: (error: Error) => { found?: string; todo: string },
): Promise<Finding> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`There was no answer within ${timeoutMs / 1_000} s.`)),
    timeoutMs,
  );
  try {
    const found = await Promise.race([run(), late]);
    return typeof found === 'string' ? { check, state: 'ok', found } : { check, state: 'warning', ...found };
  } catch (error) {
    if (error instanceof Failed) {
      const { message, todo, isFatal } = error;
      return { check, state: 'failed', found: message, todo, ...(isFatal ? { isFatal } : {}) };
    }
    const { found, todo } = explain(error as Error);
    return { check, state: 'failed', found: found ?? messageOf(error as Error), todo };
  } finally {
    clearTimeout(timer);
  }
}

/** An error that has several causes, as of several addresses of a host, has no message of its own. */
export function messageOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return error.message || first?.message || error.name;
}

/** The report of all checks, a line or two each. */
export function reportOf(findings: readonly Finding[]): string {
  const marks = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' };
  const lines = findings.flatMap(({ check, state, found, todo }) => [
    `${marks[state]}  ${check}: ${found}`,
    ...(todo === undefined ? [] : [`         ${todo}`]),
  ]);
  const failed = findings.filter(({ state }) => state === 'failed').length;
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  const count = (many: number, singular: string) => `${many} ${singular}${many === 1 ? '' : 's'}`;
  return [
    ...lines,
    '',
    `${count(findings.length, 'check')}: ${failed} failed, ${count(warnings, 'warning')}.`,
  ].join('\n');
}
