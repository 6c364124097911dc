import { z } from 'zod';
import { AppError } from '../../../../data/errors.ts';
import { tableStatistics } from '../../../../data/lake/ledger.ts';
import { identifier } from '../../../../data/lake/sql.ts';
import { type LakeColumn, physicalTables } from '../../../tables/tables/columns.ts';
import { queryAndKeep, queryAttached, rowsTold, shown } from './query.ts';
import { defineTool, type ToolCall, text } from './tool.ts';

const tableName = text(1, 255).describe('The name of an attached table.');

/** Maximum columns of a table in a prompt. */
const maxColumns = 200;
const maxDescribed = 80;
/** A column's values are listed if there are at most this many. */
const maxValues = 50;
/** Above this many rows, values are counted approximately. */
const exactRows = 1_000_000;

interface KnownTable {
  id: string;
  name: string;
  description: string;
  note: string;
  rowCount: number;
  columns: LakeColumn[];
}

/** The attached tables with their columns in the lake. */
async function knownTables({ deps, organizationId, tables }: ToolCall): Promise<KnownTable[]> {
  if (tables.length === 0) return [];
  const lake = await deps.lake.catalog.get(organizationId);
  const [physical, statistics] = await Promise.all([
    physicalTables(deps.lake.catalogPool, lake.schema),
    tableStatistics(deps.lake.catalogPool, lake.schema),
  ]);
  return tables.flatMap((table) => {
    const columns = physical.get(table.name.toLowerCase())?.columns;
    return columns === undefined
      ? []
      : [{ ...table, columns, rowCount: statistics.get(table.id)?.rowCount ?? 0 }];
  });
}

async function knownTable(call: ToolCall, name: string): Promise<KnownTable> {
  const known = await knownTables(call);
  const found = known.find((table) => table.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  throw new AppError('not_found', `There is no attached table ${name}; list_tables lists those that exist.`);
}

export const listTables = defineTool({
  name: 'list_tables',
  description:
    'Lists the tables attached to this project, with their columns: everything that queries can read.',
  input: z.strictObject({}),
  async run(call) {
    const tables = await knownTables(call);
    return {
      output: {
        tables: tables.map(({ name, description, note, rowCount, columns }) => ({
          name,
          description,
          note,
          rowCount,
          columns: columns.slice(0, maxColumns).map((column) => ({
            name: column.name,
            dataType: column.dataType,
          })),
        })),
      },
      summary: `${tables.length} ${tables.length === 1 ? 'table is' : 'tables are'} attached.`,
    };
  },
});

export const describeTable = defineTool({
  name: 'describe_table',
  description:
    'Profiles one table: for each column its nulls, distinct values, least and greatest value, and the values themselves where there are few. `distinctIsApproximate` marks a count that is only about right.',
  input: z.strictObject({ table: tableName }),
  async run(call, { table: name }) {
    const table = await knownTable(call, name);
    const columns = table.columns.slice(0, maxDescribed);
    const { cells, isExact } = await profile(call, table, columns);
    const described = columns.map((column, index) => {
      const [nulls, distinct, min, max, found] = cells.slice(1 + index * 5, 6 + index * 5);
      const values = Array.isArray(found) && found.length <= maxValues ? found : null;
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
    return {
      output: { name: table.name, rowCount: cells[0] ?? 0, columns: described },
      summary: `${table.name} has ${String(cells[0] ?? 0)} rows and ${table.columns.length} columns.`,
    };
  },
});

/** A profile whose exact counts take more than a statement may is made again with approximate ones. */
async function profile(
  call: ToolCall,
  table: KnownTable,
  columns: readonly LakeColumn[],
): Promise<{ cells: readonly unknown[]; isExact: boolean }> {
  const run = async (isExact: boolean) => {
    const { rows } = await queryAttached(call, profileOf(table.name, columns, isExact), 1);
    return { cells: rows[0] ?? [], isExact };
  };
  if (table.rowCount > exactRows) return run(false);
  return run(true).catch((error: unknown) => {
    if (error instanceof AppError && tooMuch.has(error.code)) return run(false);
    throw error;
  });
}

const tooMuch: ReadonlySet<string> = new Set(['query_too_large', 'query_timeout']);

const shownValue = (value: unknown): unknown =>
  typeof value === 'string' && value.length > 200 ? `${value.slice(0, 200).toWellFormed()}…` : value;

/** One pass over the table; distinct text values are collected only while there are few. */
function profileOf(table: string, columns: readonly LakeColumn[], isExact: boolean): string {
  const from = identifier(table);
  const cells = columns.flatMap(({ name, dataType }) => {
    const column = identifier(name);
    const distinct = isExact ? `count(DISTINCT ${column})` : `approx_count_distinct(${column})`;
    const isPlain = !/JSON|\[|STRUCT|MAP|UNION|BLOB/.test(dataType);
    const isListed = dataType === 'STRING' || dataType === 'BOOLEAN';
    return [
      `count(*) - count(${column})`,
      isPlain ? distinct : 'NULL',
      isPlain ? `CAST(min(${column}) AS VARCHAR)` : 'NULL',
      isPlain ? `CAST(max(${column}) AS VARCHAR)` : 'NULL',
      isListed
        ? `(SELECT list(CAST(v AS VARCHAR) ORDER BY v) FROM (SELECT DISTINCT ${column} AS v FROM ${from} WHERE ${column} IS NOT NULL LIMIT ${maxValues + 1}) AS few)`
        : 'NULL',
    ];
  });
  return `SELECT ${['count(*)', ...cells].map((cell, index) => `${cell} AS c${index}`).join(', ')} FROM ${from}`;
}

export const sampleRows = defineTool({
  name: 'sample_rows',
  description: 'Shows a few rows of one table as they are.',
  input: z.strictObject({ table: tableName, limit: z.int().min(1).max(50).default(10) }),
  async run(call, { table: name, limit }) {
    const table = await knownTable(call, name);
    const result = await queryAttached(call, `SELECT * FROM ${identifier(table.name)}`, limit);
    return {
      output: { columns: result.columns, rows: shown(result.rows) },
      summary: `${result.rows.length} rows of ${table.name}.`,
    };
  },
});

export const runSql = defineTool({
  name: 'run_sql',
  description:
    'Runs one SELECT in DuckDB SQL over the attached tables by name. Up to 100 rows are shown here; up to 10,000 are kept for people, and for charts, under resultId.',
  input: z.strictObject({
    sql: text(1, 50_000),
    title: text(0, 200).default('').describe('What the rows are, in a few words.'),
  }),
  async run(call, { sql, title }) {
    const result = await queryAndKeep(call, sql, title);
    const { resultId, record, columns, rows, rowCount, truncated } = result;
    return {
      output: { resultId, columns, rows: shown(rows), rowCount, truncated },
      summary: rowsTold(result),
      resultId,
      record,
    };
  },
});
