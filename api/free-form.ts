import { z } from 'zod';
import type { ValidationFault } from '../data/errors.ts';
import { isRawNumber, type JsonValue } from '../data/exact-json.ts';
import { textFault } from './text.ts';

const maxMapBytes = 65_536;
const maxNumberCharacters = 1_000;
const maxExponent = 400;
/** Of what is told at once. */
const maxFaults = 20;

/**
 * What cannot be kept of a value whose members are a client's own: text that is none, and numbers that a reader
 * would have to write out at length.
 */
export function freeFormFaults(value: JsonValue): Pick<ValidationFault, 'loc' | 'msg'>[] {
  const faults: Pick<ValidationFault, 'loc' | 'msg'>[] = [];
  const tell = (loc: (string | number)[], msg: string | undefined) => {
    if (msg !== undefined && faults.length < maxFaults) faults.push({ loc, msg });
  };
  const look = (one: JsonValue, loc: (string | number)[]) => {
    if (faults.length >= maxFaults) return;
    if (typeof one === 'string') return tell(loc, textFault(one));
    if (one === null || typeof one !== 'object') return;
    if (isRawNumber(one)) return tell(loc, numberFault(one.rawJSON));
    if (Array.isArray(one)) {
      for (const [index, item] of one.entries()) look(item, [...loc, index]);
      return;
    }
    for (const [key, item] of Object.entries(one)) {
      tell([...loc, key], textFault(key));
      look(item, [...loc, key]);
    }
  };
  look(value, []);
  return faults;
}

function numberFault(literal: string): string | undefined {
  if (literal.length > maxNumberCharacters) return `A number has at most ${maxNumberCharacters} characters.`;
  const exponent = /[eE]([+-]?\d+)$/.exec(literal)?.[1];
  if (exponent === undefined || Math.abs(Number(exponent)) <= maxExponent) return undefined;
  return `The exponent of a number lies between -${maxExponent} and ${maxExponent}.`;
}

/** Any JSON value of at most so many bytes, with its numbers as they came. */
export function freeForm(maxBytes: number) {
  return z
    .custom<JsonValue>((value) => value !== undefined)
    .check(({ value, issues }) => tellFaults(value, maxBytes, issues))
    .meta({ description: 'Any JSON value.' });
}

/** A map that comes back with the keys it went in with. */
export const freeFormMap = z
  .custom<Record<string, JsonValue>>(isMap, {
    error: 'Input should be a valid dictionary',
    params: { type: 'dict_type' },
  })
  .check(({ value, issues }) => {
    if (isMap(value)) tellFaults(value, maxMapBytes, issues);
  })
  .meta({ type: 'object', description: `A map of your own, at most ${maxMapBytes / 1_024} KiB as JSON.` });

/** The same in an answer, whose schema must not drop any key either. */
export const keptMap = z.custom<Record<string, unknown>>(isMap).meta({ type: 'object' });

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

function tellFaults(value: JsonValue, maxBytes: number, issues: z.core.$ZodRawIssue[]): void {
  const faults = freeFormFaults(value);
  for (const { loc, msg } of faults) issues.push({ code: 'custom', path: loc, message: msg, input: value });
  if (faults.length > 0 || Buffer.byteLength(JSON.stringify(value)) <= maxBytes) return;
  issues.push({ code: 'custom', message: `It has more than ${maxBytes} bytes as JSON.`, input: value });
}
