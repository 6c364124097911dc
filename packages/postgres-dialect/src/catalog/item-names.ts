/**
 * Joins the parts of a statement, and names the items of its first SELECT list as PostgreSQL would: a call by
 * its function, everything else by its column.
 */
export function namedItems(parts: readonly string[]): string {
  if (parts[0]?.toLowerCase() !== 'select') return joined(parts);
  const out: string[] = [parts[0]];
  let item: string[] = [];
  let depth = 0;
  let at = 1;
  const end = () => {
    out.push(...item);
    const name = nameOf(item);
    if (name !== undefined) out.push('AS', `"${name}"`);
    item = [];
  };
  for (; at < parts.length; at += 1) {
    const part = parts[at]!;
    if (depth === 0 && endsList.has(part.toLowerCase())) break;
    if (part === '(' || part === '[') depth += 1;
    if (part === ')' || part === ']') depth -= 1;
    if (part === ',' && depth === 0) {
      end();
      out.push(part);
    } else item.push(part);
  }
  end();
  return joined([...out, ...parts.slice(at)]);
}

const endsList = new Set([
  'from',
  'where',
  'union',
  'order',
  'limit',
  'group',
  'except',
  'intersect',
  'having',
  'offset',
]);
const plain = /^[a-z_]\w*$/i;
const functions: Readonly<Record<string, string>> = { cast_regclass: 'regclass', cast_regtype: 'regtype' };

/** Undefined if the item has a name already, or the engine gives it the same. */
function nameOf(item: readonly string[]): string | undefined {
  const [first = ''] = item;
  if (
    !plain.test(first) ||
    ['case', 'distinct', 'all', 'not', 'exists', 'array'].includes(first.toLowerCase())
  )
    return undefined;
  if (item.length === 1) return undefined;
  const cast = item.indexOf('::');
  const value = cast > 0 && cast === item.length - 2 ? item.slice(0, cast) : item;
  if (value[1] === '(') return isOneCall(value) ? (functions[first] ?? first.toLowerCase()) : undefined;
  const isColumn = value.every((part, index) => (index % 2 === 0 ? plain.test(part) : part === '.'));
  return isColumn && value.length < item.length ? value.at(-1) : undefined;
}

function isOneCall(parts: readonly string[]): boolean {
  let depth = 0;
  return parts.slice(1).every((part, index, rest) => {
    depth += part === '(' ? 1 : part === ')' ? -1 : 0;
    return depth > 0 || index === rest.length - 1;
  });
}

/** Operators keep together, and so does what a dot joins. */
function joined(parts: readonly string[]): string {
  let text = '';
  for (const [at, part] of parts.entries())
    text += at === 0 || part === '.' || parts[at - 1] === '.' ? part : ` ${part}`;
  return text;
}
