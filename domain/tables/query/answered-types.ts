import { identifier, literal } from '../../../data/lake/sql.ts';
import { duckDbType } from '../tables/columns.ts';

/**
 * A type as an answer names it. What is of none of these kinds, or loses its type in an answer, is a scalar
 * of the type that it is read back as.
 */
export type AnsweredType =
  | { kind: 'scalar'; name: string }
  | { kind: 'list'; item: AnsweredType; suffix: string }
  | { kind: 'struct'; fields: { name: string; type: AnsweredType }[] }
  | { kind: 'map'; key: AnsweredType; value: AnsweredType };

/** Scalars that the engine knows by the same name, and casts from the text in which an answer has them. */
const sameName =
  /^(BOOLEAN|U?(TINYINT|SMALLINT|BIGINT|HUGEINT)|UINTEGER|BIGNUM|FLOAT|DOUBLE|DECIMAL\(.*\)|ENUM\(.*\)|UUID|BIT|BLOB|JSON|VARIANT|DATE|TIME|TIME_NS|TIMETZ|INTERVAL|TIMESTAMP(_S|_MS|_NS)?|TIMESTAMPTZ)$/s;

const words = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\[\d*\]|\w+|[(),]/g;

/** Reads a type's name, as `dataTypeName` writes it. */
export function answeredType(dataType: string): AnsweredType {
  const left = (dataType.match(words) ?? []).reverse();
  const take = () => left.pop() ?? '';
  const isNext = (word: string) => left.at(-1) === word;

  function type(): AnsweredType {
    let read = base(take());
    while (left.at(-1)?.startsWith('[')) read = { kind: 'list', item: read, suffix: take() };
    return read;
  }

  function base(word: string): AnsweredType {
    if (!isNext('(')) return scalar(word);
    if (word === 'STRUCT') return { kind: 'struct', fields: members() };
    if (word === 'MAP') {
      const [key, value] = members().map((member) => member.type);
      // Keys of other types are answered as text of their JSON, or without quotes.
      const isPlain = key?.kind === 'scalar' && !isJson(key);
      return isPlain && value !== undefined ? { kind: 'map', key, value } : json;
    }
    const name = word + inBrackets();
    // An answer does not tell which member it is.
    return word === 'UNION' ? json : scalar(name);
  }

  function inBrackets(): string {
    let text = '';
    let depth = 0;
    do {
      const next = take();
      text += next;
      depth += next === '(' ? 1 : next === ')' ? -1 : 0;
    } while (depth > 0 && left.length > 0);
    return text;
  }

  /** An answer names members without a name by their places. */
  function members(): { name: string; type: AnsweredType }[] {
    const read: { name: string; type: AnsweredType }[] = [];
    for (let separator = take(); separator === '(' || separator === ','; separator = take()) {
      const isNamed = left.at(-1)?.startsWith('"') === true;
      const name = isNamed ? take().slice(1, -1).replaceAll('""', '"') : String(read.length + 1);
      read.push({ name, type: type() });
    }
    return read;
  }

  return type();
}

/** Whether a value of it is bound with its type: a literal would be a text, or a number of another type. */
export function isBoundAsTyped(type: AnsweredType): boolean {
  return type.kind === 'scalar' && !isInteger(type) && !/^(VARCHAR|BOOLEAN|JSON|VARIANT)$/.test(type.name);
}

export const isInteger = (type: AnsweredType): boolean =>
  type.kind === 'scalar' && /INT(EGER)?$|^BIGNUM$/.test(type.name);

const json: AnsweredType = { kind: 'scalar', name: 'JSON' };

function scalar(word: string): AnsweredType {
  const name = word === 'DECIMAL' ? word : duckDbType(word);
  return { kind: 'scalar', name: sameName.test(name) ? name : 'VARCHAR' };
}

/** The engine's name of a type. It cannot show the tree of a cast to an ENUM inside of another type. */
function engineType(type: AnsweredType): string {
  return typeText(type, ({ name }) => (name.startsWith('ENUM') && type.kind !== 'scalar' ? 'VARCHAR' : name));
}

/** The type of the same form as its JSON has it. */
function jsonType(type: AnsweredType): string {
  return typeText(type, (leaf) => (isJson(leaf) ? 'JSON' : 'VARCHAR'));
}

function typeText(type: AnsweredType, leaf: (scalar: { name: string }) => string): string {
  const inner = (of: AnsweredType) => typeText(of, leaf);
  if (type.kind === 'scalar') return leaf(type);
  if (type.kind === 'list') return `${inner(type.item)}${type.suffix}`;
  if (type.kind === 'map') return `MAP(${inner(type.key)}, ${inner(type.value)})`;
  return `STRUCT(${type.fields.map((field) => `${identifier(field.name)} ${inner(field.type)}`).join(', ')})`;
}

const isJson = ({ name }: { name: string }) => name === 'JSON' || name === 'VARIANT';

/** Whether values of it are read from their JSON, quotes included; others are read from their text. */
export function isReadFromJson(dataType: string): boolean {
  const type = answeredType(dataType);
  return type.kind !== 'scalar' || isJson(type);
}

/**
 * The value of a type, as an expression.
 *
 * @param text An expression of the text that an answer has for it, or of its JSON
 */
export function valueFromText(dataType: string, text: string): string {
  const type = answeredType(dataType);
  const given = isReadFromJson(dataType) ? `CAST(CAST(${text} AS JSON) AS ${jsonType(type)})` : text;
  return `CAST(${decoded(type, given)} AS ${engineType(type)})`;
}

/** Replaces what the engine does not read as an answer writes it: BLOB and INTERVAL, at any depth. */
function decoded(type: AnsweredType, value: string, depth = 0): string {
  if (!isEncoded(type)) return value;
  const each = `e${depth}`;
  const inner = (of: AnsweredType, member: string) => decoded(of, member, depth + 1);
  if (type.kind === 'list') return `list_transform(${value}, lambda ${each}: ${inner(type.item, each)})`;
  if (type.kind === 'struct') {
    const fields = type.fields.map(({ name, type: of }) => {
      const member = `struct_extract(${value}, ${literal(name)})`;
      return `${identifier(name)} := ${inner(of, member)}`;
    });
    return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END`;
  }
  if (type.kind === 'map') {
    const [key, member] = [inner(type.key, `${each}.key`), inner(type.value, `${each}.value`)];
    const entry = `struct_pack(key := ${key}, value := ${member})`;
    return `map_from_entries(list_transform(map_entries(${value}), lambda ${each}: ${entry}))`;
  }
  return type.name === 'BLOB' ? `from_base64(${value})` : intervalFrom(value);
}

function isEncoded(type: AnsweredType): boolean {
  if (type.kind === 'list') return isEncoded(type.item);
  if (type.kind === 'map') return isEncoded(type.key) || isEncoded(type.value);
  if (type.kind === 'struct') return type.fields.some((field) => isEncoded(field.type));
  return type.name === 'BLOB' || type.name === 'INTERVAL';
}

/** Of ISO 8601, which the engine does not read: an M is months before the T, and minutes after it. */
function intervalFrom(value: string): string {
  const units = (part: string, names: Record<string, string>) =>
    Object.entries(names).reduce((text, [unit, name]) => `replace(${text}, '${unit}', ' ${name} ')`, part);
  const days = units(`split_part(substr(${value}, 2), 'T', 1)`, { Y: 'years', M: 'months', D: 'days' });
  const time = units(`split_part(${value}, 'T', 2)`, { H: 'hours', M: 'minutes', S: 'seconds' });
  return `CAST(${days} || ${time} AS INTERVAL)`;
}
