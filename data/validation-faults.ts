import type { z } from 'zod';
import type { ValidationFault } from './errors.ts';
import { isRawNumber } from './exact-json.ts';

type Issue = z.core.$ZodIssue;

/** The faults of an input in pydantic's wording, each at its place below `prefix`. */
export function faultsOf(issues: readonly Issue[], prefix: readonly (string | number)[]): ValidationFault[] {
  return withoutEchoes(issues.flatMap((issue) => toFaults(issue, [...prefix])));
}

/**
 * Each fault once, of two bounds of a number the one that was checked last, the field's own; and of a value
 * of a wrong type nothing but that.
 */
function withoutEchoes(faults: readonly ValidationFault[]): ValidationFault[] {
  const placeOf = ({ loc }: ValidationFault) => JSON.stringify(loc);
  const kindOf = ({ type, msg }: ValidationFault) => (isBound(type) ? type : `${type} ${msg}`);
  const distinct = new Map(faults.map((fault) => [`${placeOf(fault)} ${kindOf(fault)}`, fault]));
  const found = [...distinct.values()];
  const ofType = new Set(found.filter(({ type }) => isOfType(type)).map(placeOf));
  return found.filter((fault) => isOfType(fault.type) || !ofType.has(placeOf(fault)));
}

const isBound = (type: string): boolean => /^(less|greater)_than_equal$/.test(type);
const isOfType = (type: string): boolean => /^missing$|_type$|_parsing$/.test(type);

function toFaults(issue: Issue, prefix: (string | number)[]): ValidationFault[] {
  const loc = [...prefix, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        loc: [...loc, key],
        msg: 'Extra inputs are not permitted',
        type: 'extra_forbidden',
      }));
    case 'invalid_type':
      return [typeFault(issue, loc)];
    case 'too_small':
    case 'too_big':
      return [sizeFault(issue, loc)];
    case 'invalid_value': {
      const several = issue.values.length > 1;
      const allowed = issue.values.map((value) => `'${String(value)}'`).join(', ');
      if (issue.input === undefined) return [{ loc, msg: 'Field required', type: 'missing' }];
      if (issue.values.every((value) => value === 'true' || value === 'false') && several)
        return [{ loc, msg: 'Input should be true or false', type: 'bool_parsing' }];
      return [{ loc, msg: `Input should be ${allowed}`, type: several ? 'enum' : 'literal_error' }];
    }
    case 'invalid_format':
      return [{ loc, msg: formatText(issue), type: 'string_pattern_mismatch' }];
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap((inner) => toFaults(inner, loc));
    case 'invalid_union':
      return unionFaults(issue, loc);
    default: {
      const type =
        issue.code === 'custom' && typeof issue.params?.['type'] === 'string'
          ? issue.params['type']
          : 'value_error';
      if (type === 'dict_type' && issue.input === undefined)
        return [{ loc, msg: 'Field required', type: 'missing' }];
      return [{ loc, msg: issue.message, type }];
    }
  }
}

const formatText = ({ format, message }: z.core.$ZodIssueInvalidStringFormat): string =>
  format === 'datetime' ? 'Input should be a time with its offset, such as 2026-11-21T08:30:00Z' : message;

/** Reports a failed union by its discriminator, or by the branch that matched furthest. */
function unionFaults(issue: z.core.$ZodIssueInvalidUnion, loc: (string | number)[]): ValidationFault[] {
  if (issue.errors.length === 0) {
    const missing = issue.input === undefined;
    return [
      {
        loc,
        msg: missing ? 'Field required' : issue.message,
        type: missing ? 'missing' : 'union_tag_invalid',
      },
    ];
  }
  const furthest = issue.errors.reduce((best, branch) => (depthOf(branch) > depthOf(best) ? branch : best));
  return furthest.flatMap((inner) => {
    const input = inner.path.length === 0 ? (inner.input ?? issue.input) : inner.input;
    return toFaults({ ...inner, input } as Issue, loc);
  });
}

function depthOf(issues: readonly Issue[]): number {
  return Math.max(...issues.map((issue) => issue.path.length));
}

const typeNames: Record<string, [string, string]> = {
  string: ['Input should be a valid string', 'string_type'],
  number: ['Input should be a valid number', 'int_type'],
  int: ['Input should be a valid integer', 'int_type'],
  boolean: ['Input should be a valid boolean', 'bool_type'],
  array: ['Input should be a valid list', 'list_type'],
  object: ['Input should be a valid dictionary', 'dict_type'],
  record: ['Input should be a valid dictionary', 'dict_type'],
};

function typeFault(issue: z.core.$ZodIssueInvalidType, loc: (string | number)[]): ValidationFault {
  if (issue.input === undefined) return { loc, msg: 'Field required', type: 'missing' };
  const numeric = issue.expected === 'number' || issue.expected === 'int';
  if (numeric && (typeof issue.input === 'string' || Number.isNaN(issue.input)) && loc[0] !== 'body') {
    return {
      loc,
      msg: 'Input should be a valid integer, unable to parse string as an integer',
      type: 'int_parsing',
    };
  }
  // An integer beyond 2^53 arrives as a raw number; it is still an integer, and too large for its field.
  if (numeric && isRawNumber(issue.input) && /^-?\d+$/.test(issue.input.rawJSON)) {
    const isLow = issue.input.rawJSON.startsWith('-');
    const [relation, type] = isLow ? ['greater', 'greater_than_equal'] : ['less', 'less_than_equal'];
    const bound = isLow ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
    return { loc, msg: `Input should be ${relation} than or equal to ${bound}`, type };
  }
  const [msg, type] = typeNames[issue.expected] ?? [issue.message, 'value_error'];
  return { loc, msg, type };
}

function sizeFault(
  issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  loc: (string | number)[],
): ValidationFault {
  const low = issue.code === 'too_small';
  const bound = String(
    low ? (issue as z.core.$ZodIssueTooSmall).minimum : (issue as z.core.$ZodIssueTooBig).maximum,
  );
  if (issue.origin === 'string') {
    const msg = `String should have at ${low ? 'least' : 'most'} ${bound} character${bound === '1' ? '' : 's'}`;
    return { loc, msg, type: low ? 'string_too_short' : 'string_too_long' };
  }
  if (issue.origin === 'array' || issue.origin === 'set') {
    return {
      loc,
      msg: `List should have at ${low ? 'least' : 'most'} ${bound} items`,
      type: low ? 'too_short' : 'too_long',
    };
  }
  const relation = low ? 'greater than or equal to' : 'less than or equal to';
  return {
    loc,
    msg: `Input should be ${relation} ${bound}`,
    type: low ? 'greater_than_equal' : 'less_than_equal',
  };
}
