import { DuckDBInstance } from '@duckdb/node-api';
import { extensionOptions, loadExtensions } from '../../../../data/lake/engine/extensions.ts';
import { identifier } from '../../../../data/lake/sql.ts';
import { dataTypeName } from '../../../../packages/row-formats/index.ts';
import { type Binder, type BoundQuery, placeOf, SqlRefusal } from '../../../../packages/sql-guard/index.ts';
import type { ProcessSettings } from './messages.ts';

/** Empty tables with the columns of real ones, in an engine of its own. */
export interface Shadow extends Binder {
  interrupt(): void;
  close(): void;
}

/** A longer plan is not followed: its lineage is that of tables only. */
const maxPlanCharacters = 16_000_000;

export async function openShadow(settings: ProcessSettings): Promise<Shadow> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: `${settings.memoryLimitBytes}B`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    ...extensionOptions(settings),
  });
  const connection = await instance.connect();
  await loadExtensions(connection, settings, ['icu', 'json']);
  for (const statement of [
    `SET TimeZone = 'UTC'`,
    'SET enable_external_access = false',
    'SET lock_configuration = true',
    // Statements may call the catalog by the name that the lake has elsewhere.
    `ATTACH ':memory:' AS lake`,
    'USE lake',
  ])
    await connection.run(statement);
  const functions = await connection.runAndReadAll(
    `SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE stability <> 'CONSISTENT'`,
  );
  const unstable = new Set(functions.getRows().map(([name]) => String(name)));
  let shaped: string[] = [];

  return {
    unstable,

    async shape(relations) {
      const statements = [
        ...shaped.map((name) => `DROP TABLE IF EXISTS ${identifier(name)}`),
        ...relations.map(({ name, columns }) => {
          const list = columns.map((column) => `${identifier(column.name)} ${column.type}`).join(', ');
          return `CREATE TABLE ${identifier(name)} (${list})`;
        }),
      ];
      shaped = [...new Set([...shaped, ...relations.map(({ name }) => name)])];
      if (statements.length > 0) await connection.run(statements.join(';\n'));
      shaped = relations.map(({ name }) => name);
    },

    async bind(sql) {
      const printed = await connection.runAndReadAll(
        'SELECT json_serialize_plan($1::VARCHAR, skip_null := true, skip_empty := false, skip_default := false, optimize := false)',
        [sql],
      );
      const text = String(printed.getRows()[0]?.[0]);
      const read = text.length > maxPlanCharacters ? undefined : readPlan(text);
      if (read !== undefined && read['error'] === true && read['error_type'] !== 'not implemented')
        throw bindingFailure(sql, read);
      // The plan may be one that cannot be printed; what the statement gives is reported all the same.
      const statement = await connection.prepare(sql).catch((error: unknown) => {
        throw new SqlRefusal('query_failed', firstLines(error));
      });
      const columns = Array.from({ length: statement.columnCount }, (_, index) => ({
        name: statement.columnName(index),
        dataType: dataTypeName(statement.columnType(index)),
      }));
      statement.destroySync();
      const plans = read?.['plans'];
      return { columns, plan: Array.isArray(plans) ? (plans[0] as BoundQuery['plan']) : undefined };
    },

    interrupt: () => connection.interrupt(),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

function readPlan(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function bindingFailure(sql: string, { error_message: message, position }: Record<string, unknown>) {
  const at = Number(position);
  const place = Number.isFinite(at) ? ` (${placeOf(sql, at)})` : '';
  return new SqlRefusal('query_failed', `Binder Error: ${String(message).slice(0, 2_000)}${place}`);
}

const firstLines = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split(/\n\s*\n|\nLINE \d+:/)[0]!.slice(0, 2_000);
