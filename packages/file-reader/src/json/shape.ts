import { isRawNumber, type JsonValue } from '../json/exact.ts';
import { createFit, listName, maxTypeChars, structName } from '../values/nested.ts';

/** Objects with more keys have data as keys, and stay JSON, as does what is nested more deeply. */
const maxKeys = 200;
const maxDepth = 20;
/** Of all columns of a file. */
const maxNodes = 20_000;

/** What was found at one place of a column's documents. */
interface Node {
  kinds: Set<'boolean' | 'integer' | 'long' | 'double' | 'string' | 'list' | 'struct' | 'any'>;
  item: Node | undefined;
  fields: Map<string, Node>;
}

/** The type that holds every document of a column, as it is found value by value. */
export interface Shape {
  add(value: JsonValue): void;
  /** The name of a list or struct, or undefined if the column is not of one such type. */
  typeName(): string | undefined;
}

/** Counts the places of all columns of a file, so that documents cannot fill the memory. */
export function createShapes(): () => Shape {
  let nodes = 0;
  const node = (): Node => {
    nodes += 1;
    return { kinds: new Set(), item: undefined, fields: new Map() };
  };
  const fitsAny = createFit('JSON');

  function add(at: Node, value: JsonValue, depth: number): void {
    if (value === null || at.kinds.has('any')) return;
    if (depth > maxDepth || nodes > maxNodes) anything(at);
    else if (typeof value === 'boolean') at.kinds.add('boolean');
    else if (typeof value === 'string') at.kinds.add('string');
    else if (typeof value === 'number') at.kinds.add(Number.isSafeInteger(value) ? 'integer' : 'double');
    // Beyond 2^53, where a double would round it.
    else if (isRawNumber(value)) at.kinds.add('long');
    else if (Array.isArray(value)) {
      at.kinds.add('list');
      at.item ??= node();
      for (const item of value) add(at.item, item, depth + 1);
    } else {
      at.kinds.add('struct');
      for (const [key, member] of Object.entries(value)) {
        let field = at.fields.get(key);
        if (field === undefined) {
          field = node();
          at.fields.set(key, field);
        }
        if (at.fields.size > maxKeys) break;
        add(field, member, depth + 1);
      }
      if (at.fields.size > maxKeys) anything(at);
    }
  }

  return () => {
    const root = node();
    let isExact = true;
    return {
      add(value) {
        isExact &&= fitsAny(value);
        if (isExact) add(root, value, 0);
      },
      typeName() {
        const isNested = root.kinds.size === 1 && (root.kinds.has('list') || root.kinds.has('struct'));
        if (!isExact || !isNested) return undefined;
        const name = nameOf(root);
        return name === 'JSON' || name.length > maxTypeChars ? undefined : name;
      },
    };
  };
}

function anything(at: Node): void {
  at.kinds.add('any');
  at.item = undefined;
  at.fields.clear();
}

/** What is of several kinds, or of none, is JSON. */
function nameOf({ kinds, item, fields }: Node): string {
  const [kind, other] = kinds;
  if (kind === undefined || kinds.size > 2) return 'JSON';
  if (other !== undefined) return numberName(kinds);
  if (kind === 'list') return listName(item === undefined ? 'JSON' : nameOf(item));
  if (kind === 'struct') return structOf(fields);
  return scalarNames[kind];
}

const scalarNames = {
  ...{ boolean: 'BOOLEAN', integer: 'INTEGER', long: 'INTEGER' },
  ...{ double: 'DOUBLE', string: 'STRING', any: 'JSON' },
};

function numberName(two: Node['kinds']): string {
  if (!two.has('integer')) return 'JSON';
  return two.has('long') ? 'INTEGER' : two.has('double') ? 'DOUBLE' : 'JSON';
}

/** The engine compares the names of fields ignoring case, and has no empty ones. */
function structOf(fields: ReadonlyMap<string, Node>): string {
  const folded = new Set([...fields.keys()].map((key) => key.toLowerCase()));
  const isPlain = folded.size === fields.size && fields.size > 0 && !folded.has('');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name with them is a key that is data.
  const isNamed = [...fields.keys()].every((key) => !/[\u0000-\u001f]/.test(key) && key.isWellFormed());
  if (!isPlain || !isNamed) return 'JSON';
  return structName([...fields].map(([key, node]) => [key, nameOf(node)]));
}
