import { z } from 'zod';
import { AppError } from '../../../../data/errors.ts';
import { identifier } from '../../../../data/lake/sql.ts';
import { aboutTable, freshnessThrough, profiled, withNotes } from './about-table.ts';
import { type KnownColumn, type KnownTable, knownTable, knownTables } from './known-tables.ts';
import { queryAndKeep, queryAttached, rowCountText, shown, type ToolRows } from './query.ts';
import { cut, notesOf } from './table-notes.ts';
import { defineTool, type ToolCall, text } from './tool.ts';

const tableName = text(1, 255).describe('The name of an attached table.');

/** Maximum columns of a table in a prompt. */
const maxColumns = 200;
/** Maximum characters of a text about a table, and about a column in the description of one table. */
const maxText = 2_000;
/** The same for a column in the list of all tables. */
const maxListedText = 300;
/** What a list of tables has room for; beyond it they are named, and beyond that found by search_tables. */
const maxListedCharacters = 100_000;
const maxListedTables = 1_000;
const leftOut =
  'The columns of some tables are left out, because there is no more room. search_tables finds tables by words; describe_table describes one table.';
/** What one answer has room for: notes and profiles of columns. */
const maxNotesCharacters = 24_000;
const maxDescribed = 80;
/** A column's values are listed if there are at most this many, in at most so many characters. */
const maxValues = 200;
const maxValueCharacters = 4_000;
/** Above this many rows, values are counted approximately. */
const exactRows = 1_000_000;

export const listTables = defineTool({
  name: 'list_tables',
  description:
    'Lists the tables and views attached to this project, with their columns, their descriptions, and what a profile found in them. Queries can read only these.',
  input: z.strictObject({}),
  async run(call) {
    const tables = await knownTables(call);
    const ids = tables.map(({ id }) => id);
    const [notes, freshness] = [await notesOf(call, ids, maxListedText), await freshnessThrough(call)];
    const room = { left: maxNotesCharacters };
    let left = maxListedCharacters;
    const listed = tables.slice(0, maxListedTables).map((table) => {
      const entry = {
        ...aboutTable(table, freshness.get(table.id) ?? [], maxText),
        rowCount: table.rowCount,
        columns: withNotes(
          table.columns.slice(0, maxColumns).map(({ name, dataType }) => ({ name, dataType })),
          notes.get(table.id),
          room,
        ),
        ...profiled(notes.get(table.id), room),
      };
      left -= JSON.stringify(entry).length;
      if (left >= 0) return entry;
      return { name: table.name, rowCount: table.rowCount, columns: [], columnCount: table.columns.length };
    });
    const isAll = left >= 0 && listed.length === tables.length;
    const count = `${tables.length} ${tables.length === 1 ? 'table is' : 'tables are'} attached.`;
    return { output: { tables: listed, ...(isAll ? {} : { leftOut }) }, summary: count };
  },
});

export const describeTable = defineTool({
  name: 'describe_table',
  description:
    'Profiles one table or view. For each column, it returns the number of nulls and distinct values, the least and the greatest value, and all values if there are few. `distinctIsApproximate` marks a count that is approximate. `profile` is the result of an earlier computation, which may be of another version.',
  input: z.strictObject({ table: tableName }),
  async run(call, { table: name }) {
    const table = await knownTable(call, name);
    const columns = table.columns.slice(0, maxDescribed);
    const { cells, isExact, notices } = await profile(call, table, columns);
    const profiles = columns.map((column, index) => ({
      column,
      cells: cells.slice(1 + index * cellsOfColumn, 1 + (index + 1) * cellsOfColumn),
    }));
    const few = profiles.flatMap(({ column, cells: [, distinct] }) =>
      isListed(column) && Number(distinct) <= mostCounted(isExact) ? [column] : [],
    );
    const lists = await valuesOf(call, table, few);
    const described = profiles.map(({ column, cells: [nulls, distinct, min, max] }) => {
      const found = lists.get(column.name);
      const values = isListable(found) ? found : null;
      return {
        name: column.name,
        dataType: column.dataType,
        nullable: column.nullable,
        nulls,
        distinct: values?.length ?? distinct,
        ...(isExact || values !== null || distinct === null ? {} : { distinctIsApproximate: true }),
        min: shownValue(min),
        max: shownValue(max),
        values: values?.map(shownValue) ?? null,
      };
    });
    const notes = (await notesOf(call, [table.id], maxText)).get(table.id);
    const room = { left: maxNotesCharacters };
    const { description, note } = table;
    return {
      output: {
        name: table.name,
        description: cut(description, maxText),
        note,
        rowCount: cells[0] ?? 0,
        ...notices,
        columns: withNotes(described, notes, room),
        ...profiled(notes, room),
      },
      summary: `${table.name} has ${String(cells[0] ?? 0)} rows and ${table.columns.length} columns.`,
    };
  },
});

/** A profile whose exact counts take more than a statement may is made again with approximate ones. */
async function profile(
  call: ToolCall,
  table: KnownTable,
  columns: readonly KnownColumn[],
): Promise<{ cells: readonly unknown[]; isExact: boolean; notices: ToolRows['notices'] }> {
  const run = async (isExact: boolean) => {
    const { rows, notices } = await queryAttached(call, profileOf(table.name, columns, isExact), 1);
    return { cells: rows[0] ?? [], isExact, notices };
  };
  if ((table.rowCount ?? 0) > exactRows) return run(false);
  return run(true).catch((error: unknown) => {
    if (error instanceof AppError && tooMuch.has(error.code)) return run(false);
    throw error;
  });
}

const tooMuch: ReadonlySet<string> = new Set(['query_too_large', 'query_timeout']);

const isListable = (values: unknown): values is unknown[] =>
  Array.isArray(values) && values.length <= maxValues && JSON.stringify(values).length <= maxValueCharacters;

const shownValue = (value: unknown): unknown =>
  typeof value === 'string' && value.length > 200 ? `${value.slice(0, 200).toWellFormed()}…` : value;

const isListed = ({ dataType }: KnownColumn): boolean => dataType === 'STRING' || dataType === 'BOOLEAN';

/** An approximate count may be too high. */
const mostCounted = (isExact: boolean): number => (isExact ? maxValues : maxValues * 1.25);

/** The values of columns that have few, by column: one more pass for all of them. */
async function valuesOf(
  call: ToolCall,
  table: KnownTable,
  columns: readonly KnownColumn[],
): Promise<Map<string, unknown>> {
  if (columns.length === 0) return new Map();
  const lists = columns.map(({ name }, index) => {
    const value = `CAST(${identifier(name)} AS VARCHAR)`;
    return `list(DISTINCT ${value} ORDER BY ${value}) FILTER (WHERE ${value} IS NOT NULL) AS c${index}`;
  });
  const sql = `SELECT ${lists.join(', ')} FROM ${identifier(table.name)}`;
  const { rows } = await queryAttached(call, sql, 1);
  return new Map(columns.map(({ name }, index) => [name, rows[0]?.[index]]));
}

/** Nulls, distinct values, the least and the greatest. */
const cellsOfColumn = 4;

/** One pass over the table. */
function profileOf(table: string, columns: readonly KnownColumn[], isExact: boolean): string {
  const from = identifier(table);
  const cells = columns.flatMap(({ name, dataType }) => {
    const column = identifier(name);
    const distinct = isExact ? `count(DISTINCT ${column})` : `approx_count_distinct(${column})`;
    const isPlain = !/JSON|\[|STRUCT|MAP|UNION|BLOB/.test(dataType);
    return [
      `count(*) - count(${column})`,
      isPlain ? distinct : 'NULL',
      isPlain ? `CAST(min(${column}) AS VARCHAR)` : 'NULL',
      isPlain ? `CAST(max(${column}) AS VARCHAR)` : 'NULL',
    ];
  });
  return `SELECT ${['count(*)', ...cells].map((cell, index) => `${cell} AS c${index}`).join(', ')} FROM ${from}`;
}

export const sampleRows = defineTool({
  name: 'sample_rows',
  description: 'Shows a few rows of one table, unchanged.',
  input: z.strictObject({ table: tableName, limit: z.int().min(1).max(50).default(10) }),
  async run(call, { table: name, limit }) {
    const table = await knownTable(call, name);
    const result = await queryAttached(call, `SELECT * FROM ${identifier(table.name)}`, limit);
    return {
      output: { columns: result.columns, rows: shown(result.rows), ...result.notices },
      summary: `${result.rows.length} rows of ${table.name}.`,
    };
  },
});

export const runSql = defineTool({
  name: 'run_sql',
  description:
    'Runs one SELECT in DuckDB SQL over the attached tables and views by name. Up to 100 rows are shown here; up to 10,000 are kept for people, and for charts, under resultId.',
  input: z.strictObject({
    sql: text(1, 50_000),
    title: text(0, 200).default('').describe('A title for the rows, in a few words.'),
  }),
  async run(call, { sql, title }) {
    const result = await queryAndKeep(call, sql, title);
    const { resultId, record, columns, rows, rowCount, truncated, notices } = result;
    return {
      output: { resultId, columns, rows: shown(rows), rowCount, truncated, ...notices },
      summary: rowCountText(result),
      resultId,
      record,
    };
  },
});
