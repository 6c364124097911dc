import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Binder, type BoundQuery, createParser, type Parser, SqlRefusal } from '../index.ts';

export async function openParser(): Promise<{ connection: DuckDBConnection; parser: Parser }> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  return { connection, parser: await createParser(connection) };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Empty tables in an engine of their own. */
export async function openBinder(): Promise<Binder> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  let shaped: string[] = [];
  return {
    unstable: new Set(['random', 'now', 'uuid']),
    async shape(relations) {
      for (const name of shaped) await connection.run(`DROP TABLE ${quoted(name)}`);
      for (const { name, columns } of relations) {
        const list = columns.map((column) => `${quoted(column.name)} ${column.type}`).join(', ');
        await connection.run(`CREATE TABLE ${quoted(name)} (${list})`);
      }
      shaped = relations.map(({ name }) => name);
    },
    async bind(sql): Promise<BoundQuery> {
      const printed = await connection.runAndReadAll(
        'SELECT json_serialize_plan($1::VARCHAR, skip_null := true, skip_empty := false, skip_default := false, optimize := false)',
        [sql],
      );
      const { plans } = JSON.parse(String(printed.getRows()[0]?.[0])) as { plans?: BoundQuery['plan'][] };
      const statement = await connection.prepare(sql).catch((error: unknown) => {
        throw new SqlRefusal('query_failed', String(error));
      });
      const columns = Array.from({ length: statement.columnCount }, (_, index) => ({
        name: statement.columnName(index),
        dataType: statement.columnType(index).toString(),
      }));
      return { columns, plan: plans?.[0] };
    },
  };
}

/** The message of what is refused, with its code. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (error instanceof SqlRefusal) return `${error.code}: ${error.message}`;
  throw new Error('It was not refused.', { cause: error });
}
