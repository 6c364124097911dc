import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { offlineModel } from '../src/model.ts';
import type { DataSet } from './data-sets.ts';
import { foundJoins, quoted } from './find-joins.ts';

export interface Answered {
  text: string;
  calls: { tool: string; input: Record<string, unknown> }[];
  /** The last statement that was run, and the rows of its result. */
  sql: string | undefined;
  rows: unknown[][] | undefined;
}

export interface Analyst {
  /** The answer to the last of these messages, after each of the others was answered. */
  ask(...messages: string[]): Promise<Answered>;
  rows(sql: string): Promise<unknown[][]>;
  close(): void;
}

export const toolNames = [
  'list_tables',
  'describe_table',
  'find_joins',
  'sample_rows',
  'run_sql',
  'draw_chart',
  'write_report',
];

/** The options of a call that offers these tools. */
export function optionsOf(
  prompt: LanguageModelV4Prompt,
  names: readonly string[],
): LanguageModelV4CallOptions {
  const tools = names.map((name) => ({
    type: 'function' as const,
    name,
    inputSchema: { type: 'object' as const },
  }));
  return { prompt, tools };
}

export type Tools = Readonly<Record<string, (input: Record<string, unknown>) => Promise<unknown>>>;

/** A data set in memory, with the analyst's tools for it; statements that are not allowed fail. */
export async function openAnalyst(
  set: DataSet,
  names: readonly string[] = toolNames,
  isAllowed: (sql: string) => boolean = () => true,
): Promise<Analyst> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const { name, sql } of set.tables) await connection.run(`CREATE TABLE ${quoted(name)} AS ${sql}`);
  const tools = toolsOf(connection, set, isAllowed);
  return {
    rows: async (sql) => (await run(connection, sql)).rows,
    ask: async (...messages) => {
      const prompt: LanguageModelV4Prompt = [{ role: 'system', content: 'You are an analyst.' }];
      let last: Answered | undefined;
      for (const message of messages) last = await answer(prompt, message, tools, names);
      return last!;
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function answer(
  prompt: LanguageModelV4Prompt,
  message: string,
  tools: Tools,
  names: readonly string[],
): Promise<Answered> {
  prompt.push({ role: 'user', content: [{ type: 'text', text: message }] });
  const answered: Answered = { text: '', calls: [], sql: undefined, rows: undefined };
  for (let step = 0; step < 10; step += 1) {
    const { content } = await offlineModel().doGenerate(optionsOf(prompt, names));
    const calls = content.filter((part) => part.type === 'tool-call');
    if (calls.length === 0) {
      answered.text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      prompt.push({ role: 'assistant', content: [{ type: 'text', text: answered.text }] });
      return answered;
    }
    const parsed = calls.map((call) => ({
      ...call,
      input: JSON.parse(call.input) as Record<string, unknown>,
    }));
    prompt.push({ role: 'assistant', content: parsed });
    for (const { toolCallId, toolName, input } of parsed) {
      answered.calls.push({ tool: toolName, input });
      // It ends the turn.
      if (toolName === 'ask_person') return answered;
      const value = await tools[toolName]!(input);
      if (toolName === 'run_sql') {
        answered.sql = String(input['sql']);
        answered.rows = (value as { rows?: unknown[][] }).rows;
      }
      const text = `<data-0a1b2c3d>\n${JSON.stringify(value)}\n</data-0a1b2c3d>`;
      prompt.push({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: text } }],
      });
    }
  }
  throw new Error('The analyst did not come to an answer.');
}

const typeNames: Readonly<Record<string, string>> = {
  VARCHAR: 'STRING',
  BIGINT: 'INTEGER',
  HUGEINT: 'INTEGER',
  'TIMESTAMP WITH TIME ZONE': 'TIMESTAMPTZ',
};

async function run(connection: DuckDBConnection, sql: string) {
  const reader = await connection.runAndReadAll(sql);
  const columns = reader.columnNames().map((name, index) => {
    const type = reader.columnType(index).toString();
    return { name, dataType: typeNames[type] ?? type };
  });
  return { columns, rows: reader.getRows().map((row) => row.map(shown)) };
}

/** As the service writes values: integers and doubles as numbers, decimals, dates and times as text. */
function shown(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== 'object' || value === null) return value;
  const text = String(value);
  return /^\d{4}-\d\d-\d\d \d\d:/.test(text) ? text.replace(' ', 'T') : text;
}

export function toolsOf(
  connection: DuckDBConnection,
  set: DataSet,
  isAllowed: (sql: string) => boolean = () => true,
): Tools {
  const query = async (sql: string) => {
    try {
      return await run(connection, sql);
    } catch (error) {
      return { error: { code: 'query_failed', message: (error as Error).message } };
    }
  };
  return {
    list_tables: async () => ({
      tables: await Promise.all(set.tables.map((table) => listed(connection, table))),
    }),
    describe_table: ({ table }) => described(connection, String(table)),
    find_joins: async ({ tables }) => {
      const named = (tables as string[]).map((name) =>
        listed(connection, { name, description: '', sql: '' }),
      );
      const rows = async (sql: string) => (await run(connection, sql)).rows;
      return { joins: await foundJoins(await Promise.all(named), rows) };
    },
    sample_rows: ({ table, limit }) =>
      query(`SELECT * FROM ${quoted(String(table))} ORDER BY 1 LIMIT ${limit ?? 10}`),
    run_sql: async ({ sql }) => {
      if (!isAllowed(String(sql))) return { error: { code: 'queries_saturated', message: 'Try again.' } };
      const result = await query(String(sql));
      if (!('rows' in result)) return result;
      const rowCount = result.rows.length;
      return {
        resultId: 'res_1',
        ...result,
        rows: result.rows.slice(0, 100),
        rowCount,
        truncated: rowCount > 100,
      };
    },
    draw_chart: async ({ title }) => ({ chartId: 'cht_1', title }),
    write_report: async ({ title }) => ({ reportId: 'rep_1', title, revision: 1 }),
  };
}

async function listed(connection: DuckDBConnection, { name, description }: DataSet['tables'][number]) {
  const { columns } = await run(connection, `SELECT * FROM ${quoted(name)} LIMIT 0`);
  const { rows } = await run(connection, `SELECT count(*) FROM ${quoted(name)}`);
  return { name, description, note: '', rowCount: rows[0]![0], columns };
}

async function described(connection: DuckDBConnection, table: string) {
  const { columns, rowCount } = await listed(connection, { name: table, description: '', sql: '' });
  const details = columns.map(async ({ name, dataType }) => {
    const column = quoted(name);
    const figures = `SELECT count(*) - count(${column}), count(DISTINCT ${column}), CAST(min(${column}) AS VARCHAR), CAST(max(${column}) AS VARCHAR) FROM ${quoted(table)}`;
    const [nulls, distinct, min, max] = (await run(connection, figures)).rows[0]!;
    const isListed = (dataType === 'STRING' || dataType === 'BOOLEAN') && Number(distinct) <= 200;
    const values = isListed
      ? (
          await run(
            connection,
            `SELECT DISTINCT ${column} FROM ${quoted(table)} WHERE ${column} IS NOT NULL ORDER BY 1`,
          )
        ).rows.map(([value]) => String(value))
      : null;
    return { name, dataType, nullable: true, nulls, distinct, min, max, values };
  });
  return { name: table, rowCount, columns: await Promise.all(details) };
}
