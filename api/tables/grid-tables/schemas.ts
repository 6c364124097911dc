import { z } from 'zod';
import type { Refresh } from '../../../domain/tables/calculated-tables/calculated-tables.ts';
import { columnNameFault } from '../../../domain/tables/tables/column-name.ts';
import { characters, envelope, idText, revisionNumber, timestamp, visibleName } from '../../schemas.ts';

export const dataTypes = [
  'STRING',
  'INTEGER',
  'DECIMAL',
  'DOUBLE',
  'BOOLEAN',
  'DATE',
  'TIMESTAMP',
  'TIMESTAMPTZ',
  'TIME',
  'JSON',
] as const;

/** DECIMAL(p,s) with p up to 38 and s up to p, as a JSON Schema pattern. */
const decimalPattern = `^DECIMAL\\((?:${Array.from({ length: 38 }, (_, index) => {
  const [precision, tens, ones] = [index + 1, Math.floor((index + 1) / 10), (index + 1) % 10];
  const below = ['', '\\d|', '\\d|1\\d|', '\\d|[12]\\d|'][tens];
  return `${precision},(?:${below}${tens === 0 ? '' : tens}[0-${ones}])`;
}).join('|')})\\)$`;

/** A type's name in the document; requests may write it in any case. */
export function documentedType(names: readonly string[]) {
  return {
    anyOf: [
      { type: 'string', enum: [...names] },
      { type: 'string', pattern: decimalPattern },
    ],
  } as const;
}

/** A column type in a request: one of the names, or DECIMAL(p,s). */
export const dataType = z
  .string()
  .superRefine((text, context) => {
    const upper = text.toUpperCase().replaceAll(' ', '');
    const decimal = /^DECIMAL\((\d{1,2}),(\d{1,2})\)$/.exec(upper);
    const known = (dataTypes as readonly string[]).includes(upper);
    const fits =
      decimal !== null &&
      Number(decimal[1]) >= 1 &&
      Number(decimal[1]) <= 38 &&
      Number(decimal[2]) <= Number(decimal[1]);
    if (!known && !fits) {
      context.addIssue({
        code: 'custom',
        params: { type: 'enum' },
        message: `Input should be one of ${dataTypes.join(', ')}, or DECIMAL(p,s) with p up to 38`,
      });
    }
  })
  .meta({ examples: ['INTEGER', 'DECIMAL(12,2)'], ...documentedType(dataTypes) });

/** The type of a column in an answer. */
export const shownType = z
  .string()
  .nullable()
  .describe('Null until the first value decides the type of a column without `data_type`.')
  .meta({ examples: ['INTEGER', 'DECIMAL(12,2)'] });

/** The canonical form of a type: DECIMAL without arguments is DECIMAL(38,10). */
export function normalType(text: string): string {
  const upper = text.toUpperCase().replaceAll(' ', '');
  return upper === 'DECIMAL' ? 'DECIMAL(38,10)' : upper;
}

export const columnName = visibleName(255).superRefine((name, context) => {
  const message = columnNameFault(name);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

export const tableName = visibleName(255);

const column = z.strictObject({
  name: columnName,
  nullable: z.boolean().default(true),
  data_type: dataType.optional().describe('The type of the column. By default the first value decides it.'),
});

/** The SELECT of a view or calculated table. */
export const definingQuery = characters(1, 500_000).describe(
  "One SELECT, with the rules of query executions. Parameters, AT and two columns with the same name aren't allowed.",
);

const minIntervalSeconds = z.int().min(1).max(31_536_000);

const refreshBody = z
  .strictObject({
    mode: z.enum(['manual', 'on_change']).optional(),
    min_interval_seconds: minIntervalSeconds.optional(),
    minIntervalSeconds: minIntervalSeconds
      .optional()
      .describe('The same as `min_interval_seconds`, with the name of responses.'),
  })
  .describe('`on_change` builds the table after its inputs change, at most once per interval.');

/** What is written of a refresh, in whichever of the two spellings. */
export function refreshOf(body: z.infer<typeof refreshBody> | undefined): Partial<Refresh> {
  const { mode, min_interval_seconds: seconds, minIntervalSeconds = seconds } = body ?? {};
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(minIntervalSeconds === undefined ? {} : { minIntervalSeconds }),
  };
}

export const createGridTableBody = z
  .strictObject({
    name: tableName,
    kind: z.enum(['calc', 'data']).default('calc'),
    query: definingQuery.optional(),
    refresh: refreshBody.optional(),
    project_id: idText.optional().describe('The project that lists a calculated table.'),
    columns: z.array(column).max(50).optional().describe('Required for kind=data.'),
    key_columns: z.array(z.string().min(1)).max(50).optional(),
    key_enforced: z.boolean().optional().describe('Whether keys must be unique. The default is true.'),
  })
  .superRefine((body, context) => {
    const forbid = (
      field: 'query' | 'columns' | 'key_columns' | 'key_enforced' | 'refresh' | 'project_id',
      message: string,
    ) => context.addIssue({ code: 'custom', path: [field], message, params: { type: 'value_error' } });
    const require = (field: 'query' | 'columns') =>
      context.addIssue({
        code: 'custom',
        path: [field],
        message: `Field required for kind=${body.kind}`,
        params: { type: 'missing' },
      });
    if (body.kind === 'calc') {
      if (body.query === undefined) require('query');
      if (body.columns !== undefined)
        forbid('columns', 'The columns come from the query. Omit columns for kind=calc.');
      for (const field of ['key_columns', 'key_enforced'] as const)
        if (body[field] !== undefined)
          forbid(field, "A calculated table can't have a key, because its rows come from the query.");
      return;
    }
    if (body.query !== undefined) forbid('query', 'A data table has no query. Omit query for kind=data.');
    for (const field of ['refresh', 'project_id'] as const)
      if (body[field] !== undefined)
        forbid(field, 'Only a calculated table can have this field. Omit it for kind=data.');
    if (body.columns === undefined) return require('columns');
    const seen = new Set<string>();
    for (const [index, { name }] of body.columns.entries()) {
      if (seen.has(name.toLowerCase())) {
        context.addIssue({
          code: 'custom',
          path: ['columns', index, 'name'],
          message: 'Column names must be unique, ignoring case.',
        });
      }
      seen.add(name.toLowerCase());
    }
    for (const [index, key] of (body.key_columns ?? []).entries()) {
      if (!body.columns.some(({ name }) => name === key)) {
        context.addIssue({
          code: 'custom',
          path: ['key_columns', index],
          message: 'Every key column must be one of the columns.',
        });
      }
    }
    if (body.key_enforced === true && (body.key_columns ?? []).length === 0)
      forbid('key_enforced', 'There are no key_columns to enforce.');
    if (new Set(body.key_columns).size !== (body.key_columns ?? []).length)
      forbid('key_columns', 'Key columns must be unique.');
  })
  .meta({
    oneOf: [
      {
        title: 'data',
        required: ['kind', 'columns'],
        properties: { kind: { const: 'data' }, query: false, refresh: false, project_id: false },
      },
      {
        title: 'calc',
        required: ['query'],
        properties: { kind: { const: 'calc' }, columns: false, key_columns: false, key_enforced: false },
      },
    ],
    examples: [
      {
        name: 'orders',
        kind: 'data',
        columns: [
          { name: 'order_no' },
          { name: 'amount', data_type: 'DECIMAL(12,2)' },
          { name: 'note', nullable: true },
        ],
        key_columns: ['order_no'],
      },
      {
        name: 'sales_by_city',
        query: 'SELECT city, sum(amount) AS total FROM orders GROUP BY city',
        refresh: { mode: 'on_change', min_interval_seconds: 300 },
      },
    ],
  });

const gridColumn = z.object({ name: z.string(), dataType: shownType, nullable: z.boolean() });

export const gridTableSchema = z
  .object({
    tableId: z.string(),
    name: z.string(),
    kind: z.enum(['data', 'calc', 'import']),
    status: z.enum(['unmaterialized', 'queued', 'running', 'fresh', 'stale', 'failed']),
    columns: z.array(gridColumn),
    keyColumns: z.array(z.string()),
    keyEnforced: z.boolean(),
    query: z.string().nullable().describe('The query of a calculated table. Null for other tables.'),
    refresh: z
      .object({
        mode: z.enum(['manual', 'on_change']),
        minIntervalSeconds: z.int(),
        min_interval_seconds: z
          .int()
          .describe('The same as `minIntervalSeconds`, so that you can send back what you read.'),
      })
      .nullable(),
    projectId: z.string().nullable(),
    definedByUserId: z
      .string()
      .nullable()
      .describe('The user or API client whose rights a calculated table uses to read.'),
    revision: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'GridTable' });

export const oneGridTable = envelope(gridTableSchema).meta({
  examples: [
    {
      data: {
        tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
        name: 'orders',
        kind: 'data',
        status: 'fresh',
        columns: [
          { name: 's_id', dataType: 'INTEGER', nullable: false },
          { name: 'city', dataType: 'STRING', nullable: true },
        ],
        keyColumns: [],
        keyEnforced: false,
        query: null,
        refresh: null,
        projectId: null,
        definedByUserId: null,
        revision: 1,
        createdAt: '2026-11-21T08:30:00.000Z',
        updatedAt: '2026-11-21T08:30:00.000Z',
      },
    },
  ],
});

export const changeGridTableBody = z
  .strictObject({
    key_enforced: z.boolean().optional().describe('For a data table: whether keys must be unique.'),
    query: definingQuery.optional(),
    refresh: refreshBody.optional(),
    expected_revision: revisionNumber.optional(),
  })
  .superRefine((body, context) => {
    if (body.key_enforced === undefined) return;
    for (const field of ['query', 'refresh', 'expected_revision'] as const)
      if (body[field] !== undefined)
        context.addIssue({
          code: 'custom',
          path: [field],
          message: 'Only a calculated table can have this field. A data table can have only key_enforced.',
          params: { type: 'value_error' },
        });
  })
  .meta({
    examples: [{ refresh: { mode: 'on_change', min_interval_seconds: 300 } }, { key_enforced: true }],
  });
