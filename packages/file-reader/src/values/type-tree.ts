/** A data type as a tree. A type other than a list, struct or map is a leaf, with its name. */
export type TypeTree =
  | { kind: 'scalar'; name: string }
  | { kind: 'list'; item: TypeTree }
  | { kind: 'struct'; fields: { name: string; type: TypeTree }[] }
  | { kind: 'map'; key: TypeTree; value: TypeTree };

const words = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\[\d*\]|\w+|[(),]/g;

/** Reads a type's name. A text that isn\'t a type becomes a tree of another name. */
export function readType(name: string): TypeTree {
  const left = (name.match(words) ?? []).reverse();
  const take = () => left.pop() ?? '';

  function type(): TypeTree {
    let read = base(take());
    for (; left.at(-1)?.startsWith('['); take()) read = { kind: 'list', item: read };
    return read;
  }

  function base(word: string): TypeTree {
    if (left.at(-1) !== '(') return { kind: 'scalar', name: word };
    if (word === 'STRUCT') return { kind: 'struct', fields: members() };
    if (word !== 'MAP') return { kind: 'scalar', name: word + inBrackets() };
    const [key, value] = members().map((member) => member.type);
    const isPlain = key?.kind === 'scalar' && key.name !== 'JSON' && value !== undefined;
    return isPlain ? { kind: 'map', key, value } : { kind: 'scalar', name: 'MAP' };
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

  function members(): { name: string; type: TypeTree }[] {
    const read: { name: string; type: TypeTree }[] = [];
    for (let separator = take(); separator === '(' || separator === ','; separator = take()) {
      const isNamed = left.at(-1)?.startsWith('"') === true;
      const named = isNamed ? take().slice(1, -1).replaceAll('""', '"') : String(read.length + 1);
      read.push({ name: named, type: type() });
    }
    return read;
  }

  return type();
}
