import {
  type Command,
  commandOf,
  isCatalogStatement,
  parameterNumbers,
  type Statement,
} from '../../packages/postgres-dialect/index.ts';
import { type FieldDescription, oids, ProtocolFault } from '../../packages/postgres-protocol/index.ts';
import type { Session } from './context.ts';

/** A statement with what it asks for. */
export interface Plan {
  statement: Statement;
  command: Command;
  /** Whether it is a query about the catalog of PostgreSQL. */
  isCatalog: boolean;
  /** The numbers of its parameters. */
  parameters: number[];
}

export function planOf(statement: Statement, { settings }: Session): Plan {
  const command = commandOf(statement);
  // SHOW of anything else is a statement of the engine, such as SHOW TABLES.
  const isEngines =
    command.kind === 'show' &&
    command.name !== 'all' &&
    !settings.isKnown(command.name) &&
    isRelation(statement);
  return {
    statement,
    command: isEngines ? { kind: 'query' } : command,
    isCatalog: command.kind === 'query' && isCatalogStatement(statement.tokens),
    parameters: parameterNumbers(statement.tokens),
  };
}

const isRelation = ({ tokens }: Statement): boolean =>
  tokens.length > 2 || tokens[1]?.kind === 'quoted' || tokens[1]?.value === 'tables';

/** Whether its rows come from the engine. */
export const hasEngineRows = ({ command }: Plan): boolean => command.kind === 'query';

export const textField = (name: string): FieldDescription => ({
  name,
  oid: oids.text,
  size: -1,
  modifier: -1,
});

/** The columns of a command that answers without the engine; undefined if it has no rows. */
export function commandFields({ command }: Plan, { cursors }: Session): FieldDescription[] | undefined {
  if (command.kind === 'show')
    return command.name === 'all'
      ? [textField('name'), textField('setting'), textField('description')]
      : [textField(command.name)];
  if (command.kind === 'fetch' && !command.isMove) {
    const cursor = cursors.get(command.name);
    if (cursor === undefined) throw noCursor(command.name);
    return cursor.fields;
  }
  return undefined;
}

export const noCursor = (name: string): ProtocolFault =>
  new ProtocolFault('34000', `cursor "${name.slice(0, 100)}" does not exist`);

/** Statements that run in a failed transaction too. */
export function endsTransaction({ command }: Plan): boolean {
  return (
    command.kind === 'commit' ||
    command.kind === 'rollback' ||
    (command.kind === 'savepoint' && command.recovers)
  );
}
