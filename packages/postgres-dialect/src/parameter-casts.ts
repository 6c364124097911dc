import type { Token } from './lexer.ts';

/** A type that a statement gives a parameter, by PostgreSQL's name. */
export interface ParameterType {
  name: string;
  isArray: boolean;
}

const names: Readonly<Record<string, string>> = {
  ...{
    int: 'int4',
    integer: 'int4',
    int4: 'int4',
    bigint: 'int8',
    int8: 'int8',
    smallint: 'int2',
    int2: 'int2',
  },
  ...{ text: 'text', varchar: 'text', name: 'text', regclass: 'text', regtype: 'text', char: 'text' },
  ...{ oid: 'oid', bool: 'bool', boolean: 'bool', date: 'date', time: 'time', timestamp: 'timestamp' },
  ...{ timestamptz: 'timestamptz', double: 'float8', float8: 'float8', real: 'float4', float4: 'float4' },
  ...{ numeric: 'numeric', decimal: 'numeric', uuid: 'uuid', json: 'json', jsonb: 'jsonb', bytea: 'bytea' },
};

/**
 * The types of parameters that are cast where they are written, such as `$1::int[]`, or used as `ANY($1)`.
 */
export function parameterCasts(tokens: readonly Token[]): Map<number, ParameterType> {
  const found = new Map<number, ParameterType>();
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'parameter') continue;
    const number = Number(token.text.slice(1));
    const type = castAfter(tokens, at + 1);
    const isOfAny = tokens[at - 1]?.text === '(' && /^(?:any|all)$/.test(tokens[at - 2]?.value ?? '');
    if (type !== undefined) found.set(number, type);
    else if (isOfAny && !found.has(number)) found.set(number, { name: 'text', isArray: true });
  }
  return found;
}

function castAfter(tokens: readonly Token[], at: number): ParameterType | undefined {
  const isCast = tokens[at]?.text === '::' || (tokens[at]?.kind === 'word' && tokens[at].value === 'as');
  if (!isCast) return undefined;
  let place = at + 1;
  if (tokens[place + 1]?.text === '.') place += 2;
  const name = names[tokens[place]?.value ?? ''];
  if (name === undefined) return undefined;
  const isArray = tokens[place + 1]?.text === '[' && tokens[place + 2]?.text === ']';
  const words = tokens
    .slice(place + 1, place + 5)
    .map(({ value }) => value)
    .join(' ');
  if (name === 'timestamp' && words.startsWith('with time zone')) return { name: 'timestamptz', isArray };
  return { name, isArray };
}
