import { AppError, type ErrorCode } from '../../data/errors.ts';
import { ProtocolFault, type Report } from '../../packages/postgres-protocol/index.ts';

const states: Partial<Record<ErrorCode, string>> = {
  query_not_read_only: '25006',
  query_timeout: '57014',
  query_too_large: '53200',
  queries_saturated: '53400',
  rate_limited: '53400',
  version_expired: '72000',
  storage_unavailable: '58030',
  overloaded: '53300',
  invalid_client: '28P01',
  invalid_token: '28P01',
  token_expired: '28P01',
  missing_scope: '28000',
  organization_suspended: '28000',
  limit_reached: '53300',
};

/** What the engine says of a statement, by how it begins. */
const failures: readonly [RegExp, string][] = [
  [/^Parser Error/, '42601'],
  [/^Binder Error: (?:Referenced (?:table|column)|Table .* does not have a column|Ambiguous)/i, '42703'],
  [/doesn't exist, or isn't allowed|name in the statement doesn't exist/, '42P01'],
  [/^Binder Error: No function matches|^Catalog Error: \w+ Function/, '42883'],
  [/^Catalog Error: Type/, '42704'],
  [/^Catalog Error|^Invalid Input Error: relation "/, '42P01'],
  [/^Binder Error: column .* must appear in the GROUP BY/i, '42803'],
  [/^(?:Binder|Mismatch Type|Type) Error/, '42804'],
  [/^Conversion Error/, '22P02'],
  [/^Out of Range Error/, '22003'],
  [/^Divide by Zero/i, '22012'],
  [/cancelled/, '57014'],
  [/has changed since the statement was prepared/, '0A000'],
];

/** What a client is told of an error. `sql` is the statement, which begins at `start` of what was sent. */
export function reportOf(error: unknown, place?: { sql: string; start: number; whole: string }): Report {
  if (error instanceof ProtocolFault)
    return { severity: 'ERROR', sqlState: error.sqlState, message: error.message };
  if (!(error instanceof AppError))
    return { severity: 'ERROR', sqlState: 'XX000', message: "The statement couldn't be run." };
  const { code, message } = error;
  const sqlState = states[code] ?? (code === 'query_failed' ? failureState(message) : 'XX000');
  const position = place && positionIn(message, place);
  return {
    ...{ severity: 'ERROR', sqlState, message, position },
    hint: code === 'query_not_read_only' ? 'Tables are changed with the HTTP API.' : undefined,
  };
}

const failureState = (message: string): string =>
  failures.find(([pattern]) => pattern.test(message))?.[1] ?? '42000';

/** In characters from 1, where the message ends with a line and a column. */
function positionIn(
  message: string,
  { sql, start, whole }: { sql: string; start: number; whole: string },
): number | undefined {
  const [, line, column] = /\(line (\d+), column (\d+)\)/.exec(message) ?? [];
  if (line === undefined) return undefined;
  const before = sql.split('\n').slice(0, Number(line) - 1);
  const offset = before.reduce((sum, each) => sum + each.length + 1, 0) + Number(column) - 1;
  return [...whole.slice(0, start + offset)].length + 1;
}
