import type { CellValue } from '../../domain/tables/query/request.ts';
import {
  backend,
  type FieldDescription,
  formatOf,
  ProtocolFault,
} from '../../packages/postgres-protocol/index.ts';
import { performCommand } from './command.ts';
import type { Session } from './context.ts';
import { describeRows, noteCut, openRows, pullRows } from './engine-rows.ts';
import { commandFields, endsTransaction, hasEngineRows, type Plan } from './plan.ts';
import type { RowCursor } from './row-cursor.ts';

/** A statement with its values, ready to run; what is left of its rows if a part was taken. */
export interface Portal {
  plan: Plan;
  values: ReadonlyMap<string, CellValue>;
  resultFormats: readonly number[];
  /** Of which the client was told. */
  fields?: readonly FieldDescription[] | undefined;
  /** Its description is sent with its first rows. */
  describesLater?: boolean;
  rows?: RowCursor;
  isDone?: boolean;
}

/** The columns of a portal; undefined if it has no rows. */
export async function portalFields(
  session: Session,
  portal: Portal,
): Promise<FieldDescription[] | undefined> {
  const { plan, values } = portal;
  if (!hasEngineRows(plan)) return commandFields(plan, session);
  refuseInFailed(session, plan);
  const { fields } = await describeRows(session, {
    sql: plan.statement.sql,
    values,
    isCatalog: plan.isCatalog,
  });
  portal.fields = fields;
  return fields;
}

/**
 * Runs a portal, or goes on with it, and sends rows and how it has ended.
 *
 * @param most Rows to send; all if 0
 */
export async function runPortal(session: Session, portal: Portal, most: number): Promise<void> {
  const { connection } = session;
  const { plan } = portal;
  refuseInFailed(session, plan);
  if (portal.isDone) {
    connection.send(backend.commandComplete('SELECT 0'));
    return;
  }
  if (!hasEngineRows(plan)) {
    if (portal.describesLater) sendDescription(session, portal, commandFields(plan, session));
    portal.isDone = true;
    return performCommand(session, plan, portal.values);
  }
  if (portal.rows === undefined) session.admit();
  portal.rows ??= openRows(
    session,
    { sql: plan.statement.sql, values: portal.values, isCatalog: plan.isCatalog },
    {
      binary: portal.resultFormats.map((format) => format === 1),
      describes: portal.describesLater === true,
      expected: portal.fields?.map(({ oid }) => oid),
    },
  );
  portal.describesLater = false;
  const { rows, isDone, truncated } = await pullRows(session, portal.rows, most);
  portal.isDone = isDone;
  if (!isDone) return connection.send(backend.portalSuspended());
  if (truncated) noteCut(session);
  connection.send(backend.commandComplete(`SELECT ${rows}`));
}

export function sendDescription(
  { connection }: Session,
  { resultFormats }: Pick<Portal, 'resultFormats'>,
  fields: readonly FieldDescription[] | undefined,
): void {
  if (fields === undefined) {
    connection.send(backend.noData());
    return;
  }
  const formats = fields.map((_, index) => formatOf(resultFormats, index));
  connection.send(backend.rowDescription(fields, formats));
}

/** @throws ProtocolFault 25P02 */
export function refuseInFailed({ transaction }: Session, plan: Plan): void {
  if (transaction.state !== 'failed' || endsTransaction(plan)) return;
  throw new ProtocolFault(
    '25P02',
    'current transaction is aborted, commands ignored until end of transaction block',
  );
}
