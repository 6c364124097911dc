import { type FailingTable, readFailingTables, readStaleTables, type StaleTable } from './stale-tables.ts';

/** Tool results about tables, read leniently: a result may be cut, or an error. */
export type ColumnKind = 'text' | 'number' | 'boolean' | 'date' | 'timestamp' | 'timestamptz' | 'other';

export interface Column {
  table: string;
  name: string;
  dataType: string;
  kind: ColumnKind;
  /** The following fields are known only after describe_table. */
  nulls?: number;
  distinct?: number;
  /** Whether `distinct` is only about right. */
  isApproximate?: boolean;
  min?: string | null;
  max?: string | null;
  /** All distinct values if there are few; null if there are many. */
  values?: string[] | null;
  /** A whole number that is 0 or 1: yes or no. */
  isBinary?: boolean;
}

export interface TableReference {
  column: string;
  table: string;
  /** The unique column of that table. */
  key: string;
}

export interface Table {
  name: string;
  description: string;
  note: string;
  /** Null until a view is described, or a table that was never built. */
  rowCount: number | null;
  columns: Column[];
  isDescribed: boolean;
  /** Columns whose values were found in a unique column of another table. */
  references: TableReference[];
  /** Known once it is described. */
  staleTables: StaleTable[];
  failingTables: FailingTable[];
}

export interface ResultSet {
  resultId: string;
  columns: { name: string; dataType: string }[];
  rows: unknown[][];
  rowCount: number;
  truncated: boolean;
  staleTables: StaleTable[];
  failingTables: FailingTable[];
}

const systemColumns = new Set(['s_id', '_sm_created_at']);
/** Maximum number of tables, and of columns of one table, that are considered. */
const maxNames = 200;

export function isSystemColumn(name: string): boolean {
  return systemColumns.has(name);
}

export function kindOf(dataType: string): ColumnKind {
  const type = dataType.toUpperCase();
  if (type === 'STRING' || type === 'VARCHAR') return 'text';
  if (type === 'BOOLEAN') return 'boolean';
  if (type === 'DATE') return 'date';
  if (type === 'TIMESTAMPTZ' || type === 'TIMESTAMP WITH TIME ZONE') return 'timestamptz';
  if (type === 'TIMESTAMP') return 'timestamp';
  const isNumber = /^(?:DECIMAL|DOUBLE|FLOAT|INTEGER|BIGINT|HUGEINT|SMALLINT|TINYINT)/.test(type);
  return isNumber ? 'number' : 'other';
}

export function isTime(column: Column): boolean {
  return column.kind === 'date' || column.kind === 'timestamp' || column.kind === 'timestamptz';
}

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function count(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

/** The tables of a list_tables result; undefined if it is not one. */
export function readTables(result: unknown): Table[] | undefined {
  const { tables } = fields(result);
  if (!Array.isArray(tables)) return undefined;
  return tables
    .slice(0, maxNames)
    .map((table) => readTable(fields(table), false))
    .filter((table) => table.name !== '');
}

/** The tables, with the details from describe_table results. */
export function describedTables(tables: readonly Table[], results: readonly unknown[]): Table[] {
  const described = new Map<string, Table>();
  for (const result of results) {
    const table = readTable(fields(result), true);
    if (table.name !== '' && table.columns.length > 0) described.set(table.name, table);
  }
  return tables.map((table) => {
    const known = described.get(table.name);
    return known === undefined ? table : { ...known, description: table.description, note: table.note };
  });
}

/** The tables, with the references that find_joins found. */
export function joinedTables(tables: readonly Table[], results: readonly unknown[]): Table[] {
  const found = results.flatMap((result) => list(fields(result)['joins']).map(fields));
  if (found.length === 0) return [...tables];
  return tables.map((table) => ({
    ...table,
    references: found
      .filter((join) => join['table'] === table.name)
      .map((join) => ({
        column: text(join['column']),
        table: text(join['otherTable']),
        key: text(join['otherColumn']),
      }))
      .filter(({ column, key }) => column !== '' && key !== ''),
  }));
}

function readTable(from: Fields, isDescribed: boolean): Table {
  const name = text(from['name']);
  return {
    name,
    description: text(from['description']),
    note: text(from['note']),
    rowCount: from['rowCount'] === null ? null : count(from['rowCount']),
    columns: list(from['columns'])
      .slice(0, maxNames)
      .map((one) => readColumn(name, fields(one), isDescribed))
      .filter((column) => column.name !== ''),
    isDescribed,
    references: [],
    staleTables: readStaleTables(from),
    failingTables: readFailingTables(from),
  };
}

function readColumn(table: string, from: Fields, isDescribed: boolean): Column {
  const dataType = text(from['dataType']);
  const column: Column = { table, name: text(from['name']), dataType, kind: kindOf(dataType) };
  if (!isDescribed) return column;
  const shown = (value: unknown) => (value === null || value === undefined ? null : String(value));
  const values = from['values'];
  return {
    ...column,
    nulls: count(from['nulls']),
    distinct: count(from['distinct']),
    isApproximate: from['distinctIsApproximate'] === true,
    min: shown(from['min']),
    max: shown(from['max']),
    values: Array.isArray(values) ? values.slice(0, maxNames).map(String) : null,
    isBinary: column.kind === 'number' && /INT/.test(dataType.toUpperCase()) && isZeroToOne(from),
  };
}

function isZeroToOne({ min, max }: Fields): boolean {
  return String(min) === '0' && String(max) === '1';
}

export function readResultSet(result: unknown): ResultSet | undefined {
  const from = fields(result);
  if (!Array.isArray(from['rows']) || !Array.isArray(from['columns'])) return undefined;
  return {
    resultId: text(from['resultId']),
    columns: from['columns'].map((column) => ({
      name: text(fields(column)['name']),
      dataType: text(fields(column)['dataType']),
    })),
    rows: from['rows'].map(list),
    rowCount: count(from['rowCount'] ?? from['rows'].length),
    truncated: from['truncated'] === true,
    staleTables: readStaleTables(from),
    failingTables: readFailingTables(from),
  };
}

/** The chart returned by the drawing tool. */
export function readChart(value: unknown): { id: string; title: string } | undefined {
  const { chartId, title } = fields(value);
  return typeof chartId === 'string' && typeof title === 'string' ? { id: chartId, title } : undefined;
}
