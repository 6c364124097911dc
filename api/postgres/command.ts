import type { CellValue } from '../../domain/tables/query/request.ts';
import { limits } from '../../domain/workspace/limits/limits.ts';
import { backend, ProtocolFault } from '../../packages/postgres-protocol/index.ts';
import type { Session } from './context.ts';
import { describeRows, noteCut, openRows, pullRows } from './engine-rows.ts';
import { noCursor, type Plan } from './plan.ts';

const { most: mostCursors } = limits.postgres.cursors;

/** Performs a statement that isn't a query, and sends how it has ended. */
export async function performCommand(
  session: Session,
  plan: Plan,
  values: ReadonlyMap<string, CellValue>,
): Promise<void> {
  const { connection, transaction, settings, cursors } = session;
  const { command } = plan;
  const done = (tag: string) => connection.send(backend.commandComplete(tag));
  switch (command.kind) {
    case 'begin':
      if (transaction.state === 'idle') transaction.begin();
      else
        session.notify({
          sqlState: '25001',
          severity: 'WARNING',
          message: 'there is already a transaction in progress',
        });
      return done(command.tag);
    case 'commit':
    case 'rollback': {
      const { state } = transaction;
      if (state === 'idle')
        session.notify({
          sqlState: '25P01',
          severity: 'WARNING',
          message: 'there is no transaction in progress',
        });
      endTransaction(session);
      return done(command.kind === 'commit' && state === 'failed' ? 'ROLLBACK' : command.tag);
    }
    case 'savepoint':
      if (transaction.state === 'idle')
        throw new ProtocolFault('25P01', `${command.tag} can only be used in transaction blocks`);
      if (command.recovers) transaction.state = 'open';
      return done(command.tag);
    case 'set': {
      const { told, notice } = settings.set(command.name, command.value);
      if (told !== undefined) connection.send(backend.parameterStatus(...told));
      if (notice !== undefined) session.notify({ sqlState: '01000', message: notice });
      return done(command.value === null ? 'RESET' : 'SET');
    }
    case 'show':
      return show(session, command.name);
    case 'discard':
      for (const cursor of cursors.values()) cursor.rows.close();
      cursors.clear();
      session.deallocate(undefined);
      if (command.tag === 'DISCARD ALL') settings.resetAll();
      return done(command.tag);
    case 'deallocate':
      session.deallocate(command.name);
      return done(command.name === undefined ? 'DEALLOCATE ALL' : 'DEALLOCATE');
    case 'nothing':
      return done(command.tag);
    case 'copy': {
      session.admit();
      const { sql, form, delimiter, null: nothing, quote, hasHeader } = command;
      const copy = { form, delimiter, null: nothing, quote, hasHeader };
      const rows = openRows(session, { sql, values }, { binary: [], describes: false, copy });
      const pulled = await pullRows(session, rows, 0);
      connection.send(backend.copyDone());
      if (pulled.truncated) noteCut(session);
      return done(`COPY ${pulled.rows}`);
    }
    case 'declare': {
      if (cursors.has(command.name))
        throw new ProtocolFault('42P03', `cursor "${command.name.slice(0, 100)}" already exists`);
      if (cursors.size >= mostCursors) throw new ProtocolFault('53400', 'The session has too many cursors.');
      const statement = { sql: command.sql, values };
      const { fields } = await describeRows(session, statement);
      session.admit();
      const rows = openRows(session, statement, { binary: [], describes: false });
      cursors.set(command.name, { fields, rows, isHeld: command.isHeld });
      return done('DECLARE CURSOR');
    }
    case 'fetch': {
      const cursor = cursors.get(command.name);
      if (cursor === undefined) throw noCursor(command.name);
      const { count, isMove } = command;
      const { rows } = count === 0 ? { rows: 0 } : await pullRows(session, cursor.rows, count ?? 0, isMove);
      return done(`${isMove ? 'MOVE' : 'FETCH'} ${rows}`);
    }
    case 'close':
      closeCursors(session, command.name);
      return done(command.name === undefined ? 'CLOSE CURSOR ALL' : 'CLOSE CURSOR');
    case 'write':
      throw new ProtocolFault('25006', `cannot execute ${command.verb} in a read-only transaction`);
    case 'unsupported':
      throw new ProtocolFault('0A000', `${command.what} is not supported`);
    case 'query':
      throw new Error('A query has rows of the engine.');
  }
}

function show({ connection, settings }: Session, name: string): void {
  const shown =
    name === 'all' ? [...settings.all()].map(([key, value]) => [key, value, '']) : [[settings.show(name)]];
  for (const row of shown) connection.send(backend.dataRow(row));
  connection.send(backend.commandComplete('SHOW'));
}

function closeCursors({ cursors }: Session, name: string | undefined): void {
  if (name !== undefined && !cursors.has(name)) throw noCursor(name);
  for (const [key, cursor] of cursors) {
    if (name !== undefined && key !== name) continue;
    cursor.rows.close();
    cursors.delete(key);
  }
}

/** Ends the transaction, with the cursors that don't outlive it. */
export function endTransaction({ transaction, cursors }: Session): void {
  transaction.end();
  for (const [name, cursor] of cursors) {
    if (cursor.isHeld) continue;
    cursor.rows.close();
    cursors.delete(name);
  }
}
