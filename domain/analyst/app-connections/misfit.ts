import { z } from 'zod';

/**
 * Keywords that are left to the server. It could use expressions and references to cost us time, and a
 * schema without those must never refuse more than the whole one, so negations are left out with them.
 */
const unchecked = new Set([
  ...['pattern', 'patternProperties', 'propertyNames', 'format', '$ref', '$dynamicRef'],
  ...['not', 'if', 'then', 'else', 'dependentSchemas', 'contains', 'minContains', 'maxContains'],
  ...['unevaluatedProperties', 'unevaluatedItems', '$defs', 'definitions'],
]);
/** Keywords whose value is data. */
const literal = new Set(['enum', 'const', 'default', 'examples']);
const maxFaults = 3;
const maxFaultCharacters = 500;

/**
 * What is wrong with a call's input by its tool's schema (JSON Schema, within the bounds of a listed tool);
 * undefined where nothing is, or where the schema cannot be read. The server has the last word.
 */
export function misfitOf(input: unknown, schema: Record<string, unknown>): string | undefined {
  try {
    const checked = z.fromJSONSchema(checkable(schema) as z.core.JSONSchema.JSONSchema).safeParse(input);
    return checked.success ? undefined : inWords(checked.error);
  } catch {
    return undefined;
  }
}

const inWords = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, maxFaults)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ')
    .slice(0, maxFaultCharacters)
    .toWellFormed();

function checkable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checkable);
  if (typeof schema !== 'object' || schema === null) return schema;
  const hasPatterns = Object.hasOwn(schema, 'patternProperties');
  const kept: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (unchecked.has(keyword) || (hasPatterns && keyword === 'additionalProperties')) continue;
    if (literal.has(keyword)) kept.push([keyword, value]);
    else if (keyword === 'properties') kept.push([keyword, mapValues(value)]);
    // Two alternatives that differ in what is not checked both match.
    else kept.push([keyword === 'oneOf' ? 'anyOf' : keyword, checkable(value)]);
  }
  return Object.fromEntries(kept);
}

const mapValues = (properties: unknown): unknown =>
  Object.fromEntries(Object.entries(Object(properties)).map(([name, schema]) => [name, checkable(schema)]));
