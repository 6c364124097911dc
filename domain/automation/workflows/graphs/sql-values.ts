import { AppError } from '../../../../data/errors.ts';
import { isRawNumber } from '../../../../data/exact-json.ts';
import type { SqlValue, SqlValues } from '../../../tables/query/parameters.ts';
import type { CellValue } from '../../../tables/query/request.ts';
import { findNodeType } from './node-types.ts';
import { type Placeholder, placeholdersIn } from './placeholders.ts';

/**
 * The values of a statement's placeholders.
 *
 * @throws AppError `invalid_request` if a value cannot be used in SQL
 */
export function sqlValuesIn(
  sql: string,
  resolve: (placeholder: string) => unknown,
  graph: LooseGraph,
): SqlValues {
  const standsFor = (placeholder: Placeholder): SqlValue => {
    const { text } = placeholder;
    const value = resolve(text);
    return namesTable(graph, placeholder)
      ? { table: checkedText(String(value ?? ''), text) }
      : cellOf(value, text);
  };
  return new Map(
    placeholdersIn(sql).map((placeholder) => [`\${${placeholder.text}}`, standsFor(placeholder)]),
  );
}

/** The parts used of a graph that may have any fault. */
export interface LooseGraph {
  parameters?: unknown;
  nodes?: unknown;
}

/** Whether it refers to a table, by the type of the parameter or port. */
function namesTable({ parameters, nodes }: LooseGraph, { of, name }: Placeholder): boolean {
  if (of === undefined || name === undefined) return false;
  if (of === 'params') return (parameters as LooseMap)?.[name]?.['type'] === 'table';
  const node = Array.isArray(nodes)
    ? nodes.find((one: Record<string, unknown> | null) => one?.['id'] === of)
    : undefined;
  const outputs = findNodeType(String(node?.type))?.outputs ?? [];
  return outputs.some((port) => port.name === name && port.type === 'table');
}

type LooseMap = Record<string, Record<string, unknown> | null> | null;

const plainNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function cellOf(value: unknown, placeholder: string): CellValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  const number = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? String(value) : undefined;
  if (number !== undefined && plainNumber.test(number)) return { number };
  if (typeof value === 'string') return checkedText(value, placeholder);
  throw new AppError(
    'invalid_request',
    `\${${placeholder}} is not one value: in SQL it must be a row of one column, or a parameter.`,
  );
}

export function checkedText(text: string, placeholder: string): string {
  if (text.includes('\0') || !text.isWellFormed())
    throw new AppError('invalid_request', `\${${placeholder}} holds characters that no text has.`);
  return text;
}
