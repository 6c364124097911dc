/** A fault of a body or a query, at its place. */
export interface Fault {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** What a refused request was answered: RFC 9457, with members of this service. */
export interface Problem {
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  [extension: string]: unknown;
}

/** The service refused a request. `code` is stable; `message` says what was wrong and what to do. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  readonly status: number;
  /** One of the codes of `/problems/{code}`; `validation_error` for faults, `http_error` without a problem. */
  readonly code: string;
  readonly requestId: string | undefined;
  readonly faults: readonly Fault[];
  /** Members of the problem, such as `current_revision`. */
  readonly problem: Readonly<Partial<Problem>>;

  constructor(response: Response, body: unknown) {
    const { detail, code, request_id: requestId } = (body ?? {}) as Partial<Problem>;
    const faults = Array.isArray(detail) ? (detail as unknown as Fault[]) : [];
    const faultTexts = faults.map(({ loc, msg }) => `${[loc].flat().join('.')}: ${msg}`).join('; ');
    const said = typeof detail === 'string' ? detail : undefined;
    super(
      faultTexts !== ''
        ? faultTexts
        : (said ?? `The service answered ${response.status} ${response.statusText}.`),
    );
    this.status = response.status;
    this.code = code ?? (faults.length > 0 ? 'validation_error' : 'http_error');
    this.requestId = requestId ?? response.headers.get('x-request-id') ?? undefined;
    this.faults = faults;
    this.problem = (body ?? {}) as Partial<Problem>;
  }
}

/** No answer came, in all attempts. What was asked may have happened all the same. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** A streamed answer ended at the service's limit of rows, and there are more. An export has all of them. */
export class TruncatedError extends Error {
  override readonly name = 'TruncatedError';
  readonly rowCount: number;

  constructor(rowCount: number) {
    super(
      `The response stopped after ${rowCount} rows, and there are more. Export the query to get all rows, or set a limit.`,
    );
    this.rowCount = rowCount;
  }
}

/** The error of an answer that is not a success. */
export async function errorOf(response: Response): Promise<WorkspaceError> {
  const text = await response.text().catch(() => '');
  try {
    return new WorkspaceError(response, JSON.parse(text));
  } catch {
    return new WorkspaceError(response, undefined);
  }
}
