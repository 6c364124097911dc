import { AppError } from '../../../../data/errors.ts';
import { isRawNumber } from '../../../../data/exact-json.ts';
import type { ObjectStore } from '../../../../data/objects/store.ts';
import { type Database, inOrganization } from '../../../../data/postgres/client.ts';
import type { Params } from '../../../analyst/playbooks/parameters.ts';
import { findReport } from '../../../publishing/reports/reports.ts';
import { getVersion } from '../../../publishing/reports/versions.ts';
import type { SqlValues } from '../../../tables/query/request.ts';
import { readRows, type StoredRows } from '../../../tables/stored-results/stored-results.ts';
import type { Graph } from '../graphs/graph.ts';
import { placeholdersIn } from '../graphs/placeholders.ts';
import { sqlValuesIn, type TypedValue } from '../graphs/sql-values.ts';
import type { NodeOutput, NodeOutputs } from './nodes.ts';

export interface ValueDeps {
  db: Database;
  objects: Pick<ObjectStore, 'read'>;
}

export interface Scope {
  organizationId: string;
  params: Params;
  graph: Graph;
  /** By node. */
  outputs: ReadonlyMap<string, NodeOutputs>;
}

type Config = Record<string, unknown>;

/** How much of a rows output is inserted into a text or a payload. */
const shownRows = 100;
const shownCharacters = 100_000;
/** The total of all values that a config refers to, counted once per reference: they are held in memory. */
const maxCharacters = 4_000_000;

export interface FilledConfig {
  /** With placeholders replaced, except in secrets and statements. */
  config: Config;
  /** The values of its statement's placeholders. */
  sqlValues: SqlValues;
}

/** A node's config with values filled in. */
export async function filledConfig(
  deps: ValueDeps,
  config: Config,
  { sqlKeys, secretKeys }: { sqlKeys: readonly string[]; secretKeys: readonly string[] },
  scope: Scope,
): Promise<FilledConfig> {
  const open = Object.fromEntries(Object.entries(config).filter(([key]) => !secretKeys.includes(key)));
  const values = new Map<string, TypedValue & { length: number }>();
  let characters = 0;
  for (const { text, times, of, name } of placeholdersIn(open)) {
    if (!values.has(text)) {
      const typed = await resolve(deps, scope, of, name);
      values.set(text, { ...typed, length: textOf(typed.value).length });
    }
    characters += times * values.get(text)!.length;
    if (characters <= maxCharacters) continue;
    const message = `The values in the config have more than ${maxCharacters} characters in total.`;
    throw new AppError('invalid_request', message);
  }
  const typed = (placeholder: string) => values.get(placeholder) ?? { value: undefined };
  const value = (placeholder: string) => typed(placeholder).value;
  const isLeft = (key: string) => secretKeys.includes(key) || sqlKeys.includes(key);
  const entries = Object.entries(config).map(([key, member]) => [
    key,
    isLeft(key) ? member : filled(member, value),
  ]);
  const statements = sqlKeys.map((key) => config[key]).filter((member) => typeof member === 'string');
  return {
    config: Object.fromEntries(entries),
    sqlValues: new Map(statements.flatMap((sql) => [...sqlValuesIn(sql, typed, scope.graph)])),
  };
}

/**
 * Within an object written by the author, a text that consists of one placeholder becomes its value;
 * elsewhere texts stay texts.
 */
function filled(member: unknown, resolve: (placeholder: string) => unknown, isOwn = false): unknown {
  if (typeof member === 'string') {
    const [whole, alone] = /^\$\{([^{}]{0,200})\}$/.exec(member) ?? [];
    if (whole !== undefined && isOwn) return resolve(alone!);
    return member.replace(/\$\{([^{}]{0,200})\}/g, (_, placeholder: string) => textOf(resolve(placeholder)));
  }
  if (Array.isArray(member)) return member.map((item) => filled(item, resolve, isOwn));
  if (typeof member === 'object' && member !== null && !isRawNumber(member))
    return Object.fromEntries(
      Object.entries(member).map(([key, item]) => [key, filled(item, resolve, true)]),
    );
  return member;
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return isRawNumber(value) ? value.rawJSON : JSON.stringify(value);
}

async function resolve(
  deps: ValueDeps,
  { organizationId, params, outputs }: Scope,
  of: string | undefined,
  name: string | undefined,
): Promise<TypedValue> {
  // Of a text, also where it is a date: compared with a column, it takes the type of the column.
  if (of === 'params') return { value: params[name!] };
  const output = outputs.get(of!)?.[name!];
  // The port has no value; otherwise the node would have been skipped.
  if (output === undefined) return { value: null };
  const value = await outputValue(deps, organizationId, output);
  return { value, dataType: output.type === 'rows' ? typeOfCell(output.rows) : undefined };
}

/** Of rows that are one value. */
const typeOfCell = ({ rowCount, columns }: StoredRows): string | undefined =>
  rowCount === 1 && columns.length === 1 ? columns[0]!.dataType : undefined;

/**
 * The value of an output in a text, a statement or a payload: a value, the first rows as objects, Markdown, a
 * path, or a table's name.
 */
export async function outputValue(
  deps: ValueDeps,
  organizationId: string,
  output: NodeOutput,
): Promise<unknown> {
  switch (output.type) {
    case 'rows':
      return rowsValue(deps, output.rows);
    case 'report':
      return markdownOf(deps, organizationId, output);
    case 'file':
      return output.path;
    case 'value':
      return output.value;
    case 'table':
      return output.tableName;
  }
}

async function rowsValue({ objects }: ValueDeps, kept: StoredRows): Promise<unknown> {
  const rows = await readRows(objects, kept);
  if (rows.length === 1 && kept.columns.length === 1) return rows[0]![0];
  const shown: Record<string, unknown>[] = [];
  let characters = 0;
  for (const row of rows.slice(0, shownRows)) {
    const record = Object.fromEntries(kept.columns.map(({ name }, index) => [name, row[index]]));
    characters += JSON.stringify(record).length;
    if (characters > shownCharacters) break;
    shown.push(record);
  }
  return shown;
}

function markdownOf(
  { db }: ValueDeps,
  organizationId: string,
  { reportId, revision }: { reportId: string; revision: number },
): Promise<string> {
  return inOrganization(db, organizationId, async (transaction) => {
    const report = await findReport(transaction, organizationId, reportId);
    if (report === undefined)
      throw new AppError('not_found', 'The report was deleted before the run could use it.');
    return (await getVersion(transaction, report, revision)).content;
  });
}
