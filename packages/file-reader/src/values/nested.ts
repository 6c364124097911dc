import { isRawNumber, type JsonValue } from '../json/exact.ts';
import { readType, type TypeTree } from './type-tree.ts';

/** Longer names are of documents whose keys are data; these stay JSON. */
export const maxTypeChars = 10_000;

/**
 * The canonical name of a list, struct or map, such as `STRUCT("id" INTEGER, "tags" STRING[])`, or undefined
 * if the text isn't one.
 */
export function nestedTypeName(text: string): string | undefined {
  if (text.length > maxTypeChars || !isNestedName(text)) return undefined;
  const type = readType(text);
  if (!isStorable(type)) return undefined;
  const name = nameOf(type);
  return spaceless(name) === spaceless(text) ? name : undefined;
}

const mostLevels = 32;
const storable = /^(?:STRING|INTEGER|DOUBLE|BOOLEAN|DATE|TIME|TIMESTAMP|TIMESTAMPTZ|BLOB|JSON)$/;

/** Whether a column can have all of its types, and the engine can follow it that deep. */
function isStorable(type: TypeTree, levels = mostLevels): boolean {
  if (levels === 0) return false;
  const inner = (of: TypeTree) => isStorable(of, levels - 1);
  if (type.kind === 'list') return inner(type.item);
  if (type.kind === 'map') return inner(type.key) && inner(type.value);
  if (type.kind === 'struct') return type.fields.every((field) => inner(field.type));
  const [, precision, scale] = /^DECIMAL\((\d{1,2}),(\d{1,2})\)$/.exec(type.name) ?? [];
  if (precision === undefined) return storable.test(type.name);
  return Number(precision) >= 1 && Number(precision) <= 38 && Number(scale) <= Number(precision);
}

/** Whether a type's name is that of a list, struct or map. */
export const isNestedName = (name: string): boolean => /^(?:STRUCT|MAP)\(|\[\]$/.test(name.trim());

const spaceless = (text: string): string =>
  text.replace(/("(?:[^"]|"")*")|\s+/g, (_, quoted) => quoted ?? '');

function nameOf(type: TypeTree): string {
  if (type.kind === 'scalar') return type.name;
  if (type.kind === 'list') return listName(nameOf(type.item));
  if (type.kind === 'map') return `MAP(${nameOf(type.key)}, ${nameOf(type.value)})`;
  return structName(type.fields.map((field) => [field.name, nameOf(field.type)]));
}

export const listName = (item: string): string => `${item}[]`;

export function structName(fields: readonly (readonly [name: string, type: string])[]): string {
  return `STRUCT(${fields.map(([name, type]) => `"${name.replaceAll('"', '""')}" ${type}`).join(', ')})`;
}

/** What a nested value of a JSON file can be read as. */
const jsonScalars = new Set(['STRING', 'INTEGER', 'DOUBLE', 'BOOLEAN', 'JSON']);

const isText = (type: TypeTree) => type.kind === 'scalar' && type.name === 'STRING';

/** A part of the type that no JSON value has, such as DATE, or undefined if all can be read from JSON. */
export function unreadableFromJson(name: string): string | undefined {
  const unreadable = (type: TypeTree): string | undefined => {
    if (type.kind === 'scalar') return jsonScalars.has(type.name) ? undefined : type.name;
    if (type.kind === 'list') return unreadable(type.item);
    if (type.kind === 'map')
      return isText(type.key) ? unreadable(type.value) : 'MAP with other keys than texts';
    return type.fields.map((field) => unreadable(field.type)).find((found) => found !== undefined);
  };
  return unreadable(readType(name));
}

/**
 * Whether a JSON value is read as the type without losing anything. The engine's own cast would round
 * numbers, drop unknown keys, and read what doesn't fit as null.
 */
export function createFit(name: string): (value: JsonValue) => boolean {
  return fitOf(readType(name));
}

function fitOf(type: TypeTree): (value: JsonValue) => boolean {
  if (type.kind === 'scalar') return scalarFit(type.name);
  if (type.kind === 'list') {
    const fits = fitOf(type.item);
    return (value) => value === null || (Array.isArray(value) && value.every(fits));
  }
  if (type.kind === 'map') {
    const fits = fitOf(type.value);
    return (value) => value === null || (isObject(value) && Object.values(value).every(fits));
  }
  const fields = new Map(type.fields.map((field) => [field.name, fitOf(field.type)]));
  return (value) =>
    value === null ||
    (isObject(value) && Object.entries(value).every(([key, member]) => fields.get(key)?.(member) === true));
}

function scalarFit(name: string): (value: JsonValue) => boolean {
  switch (name) {
    case 'STRING':
      return (value) => value === null || (typeof value === 'string' && !value.includes('\0'));
    case 'INTEGER':
      return (value) => value === null || isInteger(value);
    case 'DOUBLE':
      return (value) => value === null || typeof value === 'number';
    case 'BOOLEAN':
      return (value) => value === null || typeof value === 'boolean';
    default:
      return isExact;
  }
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !isRawNumber(value);
}

const mostInt64 = 2n ** 63n - 1n;

/** A number of more than 15 digits keeps them in the file's own text. */
function isInteger(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (!isRawNumber(value) || !/^-?\d{1,19}$/.test(value.rawJSON)) return false;
  const integer = BigInt(value.rawJSON);
  return integer <= mostInt64 && integer >= -mostInt64 - 1n;
}

/** Whether a nested JSON value keeps all its digits and characters in the engine. */
function isExact(value: JsonValue): boolean {
  if (typeof value === 'string') return !value.includes('\0');
  if (isRawNumber(value)) return isInteger(value);
  if (Array.isArray(value)) return value.every(isExact);
  return !isObject(value) || Object.values(value).every(isExact);
}
