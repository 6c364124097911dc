import { z } from 'zod';
import { isRawNumber, type JsonValue } from '../../../data/exact-json.ts';
import type { QueryExecution } from '../../../domain/tables/query/query-executions.ts';
import type { CellValue } from '../../../domain/tables/query/request.ts';
import type { QueryResult } from '../../../domain/tables/query/run.ts';
import { collapsingNames } from '../../../packages/row-formats/index.ts';
import { isMap, notMap } from '../../free-form.ts';
import { characters, timestamp } from '../../schemas.ts';

const version = z.int().min(0);

/** Checked entry by entry: zod's record skips the key `__proto__`. */
export const pinnedVersions = z
  .custom<Record<string, number>>(isMap, notMap)
  .superRefine((given, context) => {
    const entries = Object.entries(given);
    if (entries.length > 100) context.addIssue('You can pin up to 100 tables.');
    for (const [name, value] of entries.slice(0, 100)) {
      for (const issue of version.safeParse(value, { reportInput: true }).error?.issues ?? [])
        context.issues.push({ ...issue, path: [name] } as never);
    }
  })
  .meta({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    maxProperties: 100,
    description: 'The versions to read, to query the past: a map from table id or name to version.',
  });

const mostParameters = 100;
const mostParameterCharacters = 65_536;

/** The values of a statement's parameters: by name for `$name`, in order for `$1` and `?`. */
const parameters = z
  .custom<Record<string, JsonValue> | JsonValue[]>((given) => isMap(given) || Array.isArray(given), {
    ...notMap,
    error: 'Input should be a valid dictionary or list',
  })
  .superRefine((given, context) => {
    const entries = Object.entries(given);
    if (entries.length > mostParameters)
      context.addIssue(`A statement takes up to ${mostParameters} parameters.`);
    let characters = 0;
    for (const [key, value] of entries.slice(0, mostParameters)) {
      const path = [Array.isArray(given) ? Number(key) : key];
      const isName = Array.isArray(given) || /^[A-Za-z_][A-Za-z0-9_]*$|^[1-9]\d{0,2}$/.test(key);
      if (!isName)
        context.addIssue({
          code: 'custom',
          path,
          message: 'A parameter has a name such as `since`, without `$`.',
        });
      else if (cellOf(value) === undefined)
        context.addIssue({
          code: 'custom',
          path,
          message: 'A parameter is a text, a number within the range of a double, true, false or null.',
        });
      if (typeof value === 'string') characters += value.length;
    }
    if (characters > mostParameterCharacters)
      context.addIssue(`Parameters hold up to ${mostParameterCharacters} characters in all.`);
  })
  .meta({
    anyOf: [
      { type: 'object', additionalProperties: {}, maxProperties: mostParameters },
      { type: 'array', items: {}, maxItems: mostParameters },
    ],
    description:
      'Values for the parameters of the statement: an object for `$name`, or a list for `$1` and `?`. Each is a text, a number, true, false or null. Values are bound and never become part of the text of the statement. The SELECT of a view takes no parameters.',
  });

function cellOf(value: JsonValue | undefined): CellValue | undefined {
  // Beyond a double it would become infinity.
  if (isRawNumber(value))
    return Number.isFinite(Number(value.rawJSON)) ? { number: value.rawJSON } : undefined;
  if (typeof value === 'number') return { number: String(value) };
  return value === null || typeof value === 'string' || typeof value === 'boolean' ? value : undefined;
}

/** By name, or by place from 1. */
export function parameterValues(given: z.infer<typeof parameters> | undefined): Map<string, CellValue> {
  const named = Array.isArray(given)
    ? given.map((value, index) => [String(index + 1), value] as const)
    : Object.entries(given ?? {});
  return new Map(named.map(([name, value]) => [name, cellOf(value) ?? null]));
}

/** Why a statement may be refused, or fail. */
export const queryErrors = [
  'query_not_read_only',
  'query_failed',
  'query_timeout',
  'query_too_large',
  'version_expired',
  'queries_saturated',
] as const;

/** Of a stream. */
export const maxStreamedRows = 1_000_000;

/** The limit of an answer in JSON. */
export const jsonLimit = z.object({ limit: z.int().max(10_000).default(100) });

export const queryBody = z
  .strictObject({
    sql: characters(1, 500_000),
    limit: z
      .int()
      .min(1)
      .max(maxStreamedRows)
      .optional()
      .describe(
        'The maximum number of rows. In JSON it is 1 to 10,000, and the default is 100; `truncated` says whether there were more. In a stream it is 1 to 1,000,000, and the default is 1,000,000.',
      ),
    timeout_ms: z.int().min(1_000).max(120_000).default(30_000),
    row_format: z.enum(['both', 'rows', 'rows_with_column_order']).default('both'),
    at_versions: pinnedVersions.optional(),
    parameters: parameters.optional(),
  })
  .meta({
    examples: [
      {
        sql: 'SELECT city, count(*) AS orders FROM orders WHERE placed_at >= CAST($since AS DATE) GROUP BY ALL',
        parameters: { since: '2026-01-01' },
      },
      { sql: 'SELECT city, count(*) AS orders FROM orders GROUP BY ALL ORDER BY orders DESC', limit: 10 },
    ],
  });

const scanned = z.object({ tables: z.array(z.object({ tableId: z.string(), version: z.int() })) });
const column = z.object({ name: z.string(), dataType: z.string() });

export const queryAnswer = z
  .object({
    id: z.string(),
    columns: z.array(column),
    rows: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe('One object per row, with column names in camelCase. If names collide, the last one wins.'),
    rows_with_column_order: z
      .array(z.array(z.object({ name: z.string(), value: z.unknown() })))
      .optional()
      .describe('Every cell with its own column name, in order, including duplicates.'),
    rowCount: z.int(),
    truncated: z.boolean(),
    elapsedMs: z.number(),
    scanned,
    notices: z
      .array(
        z.object({ code: z.enum(['columns_collapsed']), message: z.string(), names: z.array(z.string()) }),
      )
      .optional()
      .describe('Warnings about the result, such as columns whose names share one key in `rows`.'),
    cached: z
      .literal(true)
      .optional()
      .describe(
        'Whether the result was kept from the same statement, over the same versions and with the same rights. It is exactly what the statement would return again.',
      ),
  })
  .meta({ id: 'QueryAnswer' });

export const queryExecutionSchema = z
  .object({
    id: z.string(),
    sql: z.string(),
    status: z.enum(['succeeded', 'failed']),
    error: z.object({ code: z.string(), detail: z.string() }).nullable(),
    rowCount: z.int().nullable(),
    truncated: z.boolean().nullable(),
    elapsedMs: z.number(),
    scanned,
    callerId: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'QueryExecution' });

const scannedExample = { tables: [{ tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', version: 12 }] };

export const queryExample = {
  id: 'qry_01kahz3v6dfyvb1s8m3h9q2w4x',
  columns: [
    { name: 'city', dataType: 'STRING' },
    { name: 'orders', dataType: 'INTEGER' },
  ],
  rows: [{ city: 'Porto', orders: 42 }],
  rows_with_column_order: [
    [
      { name: 'city', value: 'Porto' },
      { name: 'orders', value: 42 },
    ],
  ],
  rowCount: 1,
  truncated: false,
  elapsedMs: 8.4,
  scanned: scannedExample,
};

export const queryExecutionExample: z.input<typeof queryExecutionSchema> = {
  id: 'qry_01kahz3v6dfyvb1s8m3h9q2w4x',
  sql: 'SELECT city, count(*) AS orders FROM orders GROUP BY ALL',
  status: 'succeeded',
  error: null,
  rowCount: 1,
  truncated: false,
  elapsedMs: 8.4,
  scanned: scannedExample,
  callerId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
};

export function queryExecutionView(row: QueryExecution): z.infer<typeof queryExecutionSchema> {
  return {
    id: row.id,
    sql: row.sql,
    status: row.status,
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    rowCount: row.row_count,
    truncated: row.truncated,
    elapsedMs: row.elapsed_ms,
    scanned: { tables: row.scanned },
    callerId: row.caller_id,
    createdAt: row.created_at.toISOString(),
  };
}

/** Notices of an answer, and names in each. */
const maxNoticed = 20;

function noticesOf({ columns, rowsJson }: QueryResult['answer']): string[] {
  if (rowsJson === undefined) return [];
  const groups = collapsingNames(columns.map(({ name }) => name)).slice(0, maxNoticed);
  if (groups.length === 0) return [];
  const notices = groups.map((all) => {
    const names = all.slice(0, maxNoticed);
    const shown = names.map((name) => JSON.stringify(name)).join(' and ');
    return {
      code: 'columns_collapsed',
      message: `${shown} share one key in rows, which contains only the last of them. Rename the columns, or set row_format to rows_with_column_order.`,
      names,
    };
  });
  return [`"notices":${JSON.stringify(notices)}`];
}

/** The rows are JSON text already; only the envelope is built here. */
export function answerText(id: string, { answer, scanned, cached }: QueryResult): string {
  const members = [
    `"id":${JSON.stringify(id)}`,
    `"columns":${JSON.stringify(answer.columns)}`,
    ...(answer.rowsJson === undefined ? [] : [`"rows":${answer.rowsJson}`]),
    ...(answer.rowsWithColumnOrderJson === undefined
      ? []
      : [`"rows_with_column_order":${answer.rowsWithColumnOrderJson}`]),
    `"rowCount":${answer.rowCount}`,
    `"truncated":${answer.truncated}`,
    `"elapsedMs":${Math.round(answer.elapsedMs * 1_000) / 1_000}`,
    `"scanned":${JSON.stringify({ tables: scanned })}`,
    ...noticesOf(answer),
    ...(cached ? ['"cached":true'] : []),
  ];
  return `{"data":{${members.join(',')}}}`;
}
