import { z } from 'zod';
import { isRawNumber, type JsonValue } from '../data/exact-json.ts';

const maxMapBytes = 65_536;

/**
 * Any JSON value up to a size, with its numbers unchanged; their length is bounded when the body is parsed.
 * It is stored as text, because jsonb would expand numbers.
 */
export function freeForm(maxBytes: number) {
  return z
    .custom<JsonValue>((value) => value !== undefined)
    .refine((value) => fits(value, maxBytes), { error: tooLarge(maxBytes) })
    .meta({ description: 'Any JSON value.' });
}

/** The fault of a value that is not a map. */
export const notMap = { error: 'Input should be a valid dictionary', params: { type: 'dict_type' } };

/** Generators of clients give an object without `additionalProperties` a type that has no keys. */
export const mapSchema = { type: 'object', additionalProperties: {} } as const;

/** A map that reads back with the same keys. */
export const freeFormMap = mapOf(maxMapBytes).meta({
  ...mapSchema,
  description: `A map of your own, at most ${maxMapBytes / 1_024} KiB as JSON.`,
});

/** A map up to a size as JSON. */
export function mapOf(maxBytes: number) {
  return z
    .custom<Record<string, JsonValue>>(isMap, { ...notMap, abort: true })
    .refine((value) => fits(value, maxBytes), { error: tooLarge(maxBytes) });
}

/** The same in an answer, whose schema must also keep all keys. */
export const keptMap = z.custom<Record<string, unknown>>(isMap).meta(mapSchema);

export function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

function fits(value: JsonValue, maxBytes: number): boolean {
  return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
}

function tooLarge(maxBytes: number): string {
  return `It is larger than ${maxBytes} bytes as JSON. Make it smaller.`;
}
