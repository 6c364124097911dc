import { AppError } from '../../../../data/errors.ts';
import { isRawNumber } from '../../../../data/exact-json.ts';
import { answeredType, isBoundAsTyped, isInteger } from '../../../tables/query/answered-types.ts';
import type { CellValue, SqlValue, SqlValues } from '../../../tables/query/request.ts';
import { findNodeType } from './node-types.ts';
import { type Placeholder, placeholdersIn } from './placeholders.ts';

/**
 * The values of a statement's placeholders.
 *
 * @throws AppError `invalid_request` if a value cannot be used in SQL
 */
export function sqlValuesIn(
  sql: string,
  resolve: (placeholder: string) => TypedValue,
  graph: LooseGraph,
): SqlValues {
  const standsFor = (placeholder: Placeholder): SqlValue => {
    const { text } = placeholder;
    const { value, dataType } = resolve(text);
    return namesTable(graph, placeholder)
      ? { table: checkedText(String(value ?? ''), text) }
      : cellOf(value, text, dataType);
  };
  return new Map(
    placeholdersIn(sql).map((placeholder) => [`\${${placeholder.text}}`, standsFor(placeholder)]),
  );
}

/** A value, with its type as the answer of a query names it, if that is known. */
export interface TypedValue {
  value: unknown;
  dataType?: string | undefined;
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
    ? nodes.find((node: Record<string, unknown> | null) => node?.['id'] === of)
    : undefined;
  const outputs = findNodeType(String(node?.type))?.outputs ?? [];
  return outputs.some((port) => port.name === name && port.type === 'table');
}

type LooseMap = Record<string, Record<string, unknown> | null> | null;

const plainNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function cellOf(value: unknown, placeholder: string, dataType = 'STRING'): CellValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  const type = answeredType(dataType);
  const number = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? String(value) : undefined;
  const text = number ?? value;
  if (typeof text === 'string' && isBoundAsTyped(type))
    return { text: checkedText(text, placeholder), dataType };
  // Beyond 2^53, an answer has it as a text.
  if (typeof text === 'string' && isInteger(type)) return { number: text };
  if (number !== undefined && plainNumber.test(number)) return { number };
  if (typeof value === 'string') return checkedText(value, placeholder);
  throw new AppError(
    'invalid_request',
    `\${${placeholder}} isn't a single value. In SQL, a placeholder must be a parameter, or a row with one column.`,
  );
}

export function checkedText(text: string, placeholder: string): string {
  if (text.includes('\0') || !text.isWellFormed())
    throw new AppError('invalid_request', `\${${placeholder}} contains characters that a text cannot have.`);
  return text;
}
