import { type Token, tokensOf } from '../lexer.ts';
import { withColumnAliases } from './column-aliases.ts';
import { bareFunctions, lookups } from './is-catalog.ts';
import { namedItems } from './item-names.ts';
import { informationSchema } from './relations.ts';
import { shapes } from './shapes.ts';

/** A statement about the catalog, as the engine understands it. */
export interface CatalogStatement {
  sql: string;
  /** The relations that it names. */
  relations: string[];
}

/** Types that the engine has under another name. */
const typeNames: Readonly<Record<string, string>> = {
  ...{ name: 'VARCHAR', oid: 'UINTEGER', xid: 'BIGINT', cid: 'BIGINT', aclitem: 'VARCHAR', inet: 'VARCHAR' },
  ...{
    int2vector: 'SMALLINT[]',
    oidvector: 'UINTEGER[]',
    pg_node_tree: 'VARCHAR',
    sql_identifier: 'VARCHAR',
  },
  ...{ character_data: 'VARCHAR', cardinal_number: 'INTEGER', yes_or_no: 'VARCHAR', _text: 'VARCHAR[]' },
  ...{ char: 'VARCHAR', bpchar: 'VARCHAR', _name: 'VARCHAR[]', _oid: 'UINTEGER[]', unknown: 'VARCHAR' },
};

/** Functions that the engine has under another name. */
const functionNames: Readonly<Record<string, string>> = {
  ...{ json_build_object: 'json_object', jsonb_build_object: 'json_object', json_build_array: 'json_array' },
  ...{ json_agg: 'json_group_array', jsonb_agg: 'json_group_array' },
};

/** Vectors, which count from zero. */
const vectors = new Set(['indkey', 'indoption', 'indclass', 'indcollation', 'proargtypes']);

/** @param database The name before a schema that stands for this catalog */
export function catalogStatement(sql: string, database: string): CatalogStatement {
  const tokens = withColumnAliases(withoutQualifiers(tokensOf(sql), database));
  const out: string[] = [];
  const relations = new Set<string>();
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    const [next, after] = [tokens[at + 1], tokens[at + 2]];
    if (isName(token)) noteRelation(tokens, at, relations);
    if (token.text === '::') at = rewriteCast(tokens, at, out);
    else if (token.kind === 'word' && token.value === 'collate') at = skipName(tokens, at + 1);
    else if (token.kind === 'word' && token.value === 'operator' && next?.text === '(') {
      const close = tokens.findIndex(({ text }, index) => index > at && text === ')');
      // What is left of OPERATOR(pg_catalog.~) is the operator.
      const operator = tokens.slice(at + 2, close).map(({ text }) => text);
      tokens.splice(at, close - at + 1, symbol(operator.at(-1) ?? '=', token));
      at -= 1;
    } else if (isMatch(token)) at = rewriteMatch(tokens, at, out);
    else if (isLike(token) && next !== undefined) at = rewriteLike(tokens, at, out);
    else if (
      token.kind === 'word' &&
      (token.value === 'any' || token.value === 'all') &&
      next?.text === '('
    ) {
      out.push(token.text, '(');
      at += 1;
      if (after?.kind === 'string' && after.value.startsWith('{')) {
        out.push(listLiteral(after.value));
        at += 1;
      }
    } else if (token.kind === 'word' && token.value === 'as' && isName(next) && isCastEnd(out, after)) {
      at = rewriteCastAs(tokens, at, out);
    } else if (isBareFunction(token, tokens[at - 1], next)) {
      out.push(token.text, '(', ')');
    } else if (token.value === 'generate_subscripts' && tokens.slice(at, at + 6).some(isVector)) {
      out.push('vector_subscripts');
    } else if (isVector(token) && next?.text === '[') {
      out.push(token.text, '[', '1', '+');
      at += 1;
    } else out.push(functionNames[token.value] ?? written(token));
  }
  return { sql: namedItems(out), relations: [...relations] };
}

const isName = (token: Token | undefined): token is Token =>
  token?.kind === 'word' || token?.kind === 'quoted';
/** SQL calls these without brackets. */
const isBareFunction = (token: Token, before: Token | undefined, next: Token | undefined): boolean =>
  token.kind === 'word' &&
  bareFunctions.has(token.value) &&
  before?.text !== '.' &&
  before?.value !== 'as' &&
  next?.text !== '(' &&
  next?.text !== '.';
const isVector = (token: Token): boolean => isName(token) && vectors.has(token.value);
const symbol = (text: string, { start, end }: Token): Token => ({
  kind: 'symbol',
  text,
  value: text,
  start,
  end,
});
const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Strings of every form become plain ones. */
function written(token: Token): string {
  if (token.kind === 'string' && !/^[bx]'/i.test(token.text)) return literal(token.value);
  return token.text;
}

/** Without `pg_catalog.` and the name of the database; the information schema has another name. */
function withoutQualifiers(tokens: readonly Token[], database: string): Token[] {
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    const isQualifier = isName(token) && tokens[at + 1]?.text === '.';
    const next = tokens[at + 2];
    if (isQualifier && token.value === database && isName(next) && tokens[at + 3]?.text === '.') at += 1;
    else if (isQualifier && token.value === 'pg_catalog') at += 1;
    else if (isQualifier && token.value === 'information_schema') {
      // Its functions and types have no schema here.
      const isTable = isName(next) && shapes.has(`i.${next.value}`);
      if (isTable) kept.push({ ...token, text: informationSchema });
      else at += 1;
    } else kept.push(token);
  }
  return kept;
}

function noteRelation(tokens: readonly Token[], at: number, relations: Set<string>): void {
  const { value } = tokens[at]!;
  const isInformation = tokens[at - 1]?.text === '.' && tokens[at - 2]?.text === informationSchema;
  if (isInformation) relations.add(`i.${value}`);
  else if (shapes.has(value)) relations.add(value);
}

/** The place of the last token of a name, which may have several parts. */
function skipName(tokens: readonly Token[], at: number): number {
  let last = at;
  while (tokens[last + 1]?.text === '.') last += 2;
  return last;
}

interface TypeName {
  name: string;
  /** The place of its last token. */
  last: number;
  suffix: string;
}

function typeAt(tokens: readonly Token[], at: number): TypeName {
  let last = skipName(tokens, at);
  const name = tokens[last]?.value ?? '';
  const from = last + 1;
  if (tokens[last + 1]?.text === '(')
    last = tokens.findIndex(({ text }, index) => index > last && text === ')');
  while (tokens[last + 1]?.text === '[' && tokens[last + 2]?.text === ']') last += 2;
  const rest = tokens.slice(from, last + 1).map(({ text }) => text);
  return { name, last, suffix: rest.join('') };
}

function rewriteCast(tokens: readonly Token[], at: number, out: string[]): number {
  const { name, last, suffix } = typeAt(tokens, at + 1);
  if (lookups.has(name) && suffix === '') {
    const from = operandStart(out);
    out.splice(from, 0, functionFor(name), '(');
    out.push(')');
    return last;
  }
  const before = tokens[at - 1];
  if (suffix.endsWith('[]') && before?.kind === 'string' && before.value.startsWith('{'))
    out[out.length - 1] = listLiteral(before.value);
  out.push('::', typeName(tokens, at + 1, name, suffix));
  return last;
}

/** CAST(… AS regclass) becomes a call of the function that looks it up. */
function rewriteCastAs(tokens: readonly Token[], at: number, out: string[]): number {
  const { name, last, suffix } = typeAt(tokens, at + 1);
  if (lookups.has(name)) {
    const open = matching(out, out.length);
    out[open - 1] = functionFor(name);
    return last;
  }
  out.push('AS', typeName(tokens, at + 1, name, suffix));
  return last;
}

const functionFor = (name: string): string => `cast_${name === 'regprocedure' ? 'regproc' : name}`;

function typeName(tokens: readonly Token[], at: number, name: string, suffix: string): string {
  const known = tokens[at]?.kind === 'quoted' && name === 'char' ? 'VARCHAR' : typeNames[name];
  if (known === undefined) return name + suffix;
  return suffix.startsWith('(') && known.endsWith(']') ? known : known + suffix.replace(/^\(.*\)/, '');
}

/** Whether AS is that of a CAST: the bracket that is open belongs to one. */
function isCastEnd(out: readonly string[], after: Token | undefined): boolean {
  if (after === undefined) return false;
  const open = matching(out, out.length);
  return open > 0 && out[open - 1]!.toLowerCase() === 'cast';
}

/** The place of the bracket that is still open before `end`; -1 if there is none. */
function matching(out: readonly string[], end: number): number {
  let depth = 0;
  for (let at = end - 1; at >= 0; at -= 1) {
    if (out[at] === ')') depth += 1;
    else if (out[at] === '(') {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return -1;
}

/** Where the expression begins that a cast at the end applies to. */
function operandStart(out: readonly string[]): number {
  let at = out.length - 1;
  if (out[at] === ')') {
    at = matching(out, at);
    if (
      /^\w+$/.test(out[at - 1] ?? '') &&
      !/^(?:in|any|all|and|or|not|select|when|then|else|on|where)$/i.test(out[at - 1]!)
    )
      at -= 1;
  }
  while (out[at] === ']') {
    while (at > 0 && out[at] !== '[') at -= 1;
    at -= 1;
  }
  if (out[at - 1] === '::') return operandStart(out.slice(0, at - 1));
  while (out[at - 1] === '.') at -= 2;
  return Math.max(0, at);
}

const matches: Readonly<Record<string, readonly [negated: boolean, ignoresCase: boolean]>> = {
  ...{ '~': [false, false], '~*': [false, true], '!~': [true, false], '!~*': [true, true] },
};
const isMatch = ({ kind, text }: Token): boolean => kind === 'symbol' && Object.hasOwn(matches, text);

/** PostgreSQL looks for a match anywhere; the engine's operator wants the whole text to match. */
function rewriteMatch(tokens: readonly Token[], at: number, out: string[]): number {
  const [negated, ignoresCase] = matches[tokens[at]!.text]!;
  const prefix = `${ignoresCase ? '(?i)' : ''}(?s:.*)(?:`;
  out.push(negated ? '!~' : '~');
  const operand = tokens[at + 1];
  if (operand?.kind !== 'string' && operand?.kind !== 'parameter') return at;
  out.push('(', literal(prefix), '||', written(operand), '||', literal(')(?s:.*)'), ')');
  return tokens[at + 2]?.text === '::' ? typeAt(tokens, at + 3).last : at + 1;
}

const likes: Readonly<Record<string, string>> = {
  ...{ '~~': 'LIKE', '!~~': 'NOT LIKE', '~~*': 'ILIKE', '!~~*': 'NOT ILIKE', like: 'LIKE', ilike: 'ILIKE' },
};
const isLike = ({ kind, value }: Token): boolean =>
  (kind === 'symbol' || kind === 'word') && Object.hasOwn(likes, value);

/** A backslash escapes by default. */
function rewriteLike(tokens: readonly Token[], at: number, out: string[]): number {
  out.push(likes[tokens[at]!.value]!);
  const operand = tokens[at + 1]!;
  const mayEscape =
    operand.kind === 'parameter' || (operand.kind === 'string' && operand.value.includes('\\'));
  if (!mayEscape) return at;
  const cast = tokens[at + 2]?.text === '::' ? typeAt(tokens, at + 3).last : at + 1;
  const following = tokens[cast + 1];
  if (following?.value === 'escape' || following?.text === '||') return at;
  out.push(written(operand), 'ESCAPE', `'\\'`);
  return cast;
}

/** `{a,b}` as a list. */
function listLiteral(text: string): string {
  const items = text.replace(/^\{|\}$/g, '').split(',');
  const shown = items.filter((item) => item !== '').map((item) => literal(item.replace(/^"|"$/g, '')));
  return `[${shown.join(', ')}]`;
}
