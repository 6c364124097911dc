/** Parts of a path that need the name of what they belong to. */
const dependent = new Set([
  'grants',
  'catalog',
  'checkpoint',
  'columns',
  'content',
  'generation',
  'lineage',
  'pages',
  'profile',
  'runs',
  'status',
  'versions',
]);

/**
 * The operation's name in the document, from which clients derive method names: `createProject`, `listFiles`,
 * `getTableCatalog`, `cancelTableImport`. A route whose method and path don't describe it declares its own.
 */
export function operationId(method: string, url: string): string {
  const parts = url.split('/').filter((part) => part !== '' && part !== 'v1');
  const isItem = parts.at(-1)?.startsWith(':') === true;
  const nouns = nounsOf(parts);
  const last = nouns.at(-1) ?? ['root'];
  const word = last.at(-1)!;
  const isList = !isItem && isPlural(word);
  if (method === 'POST' && !isList && !isItem) return camelCase([word, ...singular(nouns.at(-2) ?? [])]);
  const owner = last.length === 1 && dependent.has(word) ? singular(nouns.at(-2) ?? []) : [];
  const verb = {
    GET: isList ? 'list' : 'get',
    POST: 'create',
    PUT: 'replace',
    PATCH: 'update',
    DELETE: 'delete',
  }[method];
  const asIs = isList && method !== 'POST';
  return camelCase([
    verb ?? method.toLowerCase(),
    ...owner,
    ...(asIs ? [...singular(last.slice(0, -1)), word] : singular(last)),
  ]);
}

/** The fixed parts of a path, grouped between its parameters. */
function nounsOf(parts: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  for (const part of parts) {
    if (!part.startsWith(':')) groups.at(-1)!.push(part);
    else if (groups.at(-1)!.length > 0) groups.push([]);
  }
  return groups.filter((group) => group.length > 0);
}

function isPlural(word: string): boolean {
  return word.endsWith('s') && word !== 'status';
}

function singular(words: readonly string[]): string[] {
  return words.map((word) => {
    if (!isPlural(word)) return word;
    if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
    return word.replace(/(?<=ch|sh|x|ss)es$|s$/, '');
  });
}

function camelCase(words: readonly string[]): string {
  const [first = '', ...rest] = words
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .filter((word) => word !== '');
  return first + rest.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}
