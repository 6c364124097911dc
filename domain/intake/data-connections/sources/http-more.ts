import type { JsonValue } from '../../../../data/exact-json.ts';
import type { JsonRecord } from './http-records.ts';

/** Fields that are true where a source has more pages. */
const flags = new Set([
  'hasmore',
  'hasnext',
  'hasnextpage',
  'more',
  'moreavailable',
  'moreresults',
  'moreitems',
]);
/** Fields that lead to the next page, or are null, empty or left out after the last. */
const leads = new Set([
  ...['next', 'nextpage', 'nextlink', 'nexturl', 'nexturi', 'nexthref', 'odatanextlink', 'nextrecordsurl'],
  ...[
    'nextcursor',
    'nexttoken',
    'nextpagetoken',
    'nextpageurl',
    'continuationtoken',
    'nextcontinuationtoken',
  ],
]);
/** Objects that sources keep such fields in. */
const holders = new Set([
  ...['meta', 'metadata', 'pagination', 'paging', 'page', 'pages', 'pageinfo', 'links', 'cursor', 'cursors'],
  ...['responsemetadata', 'resultinfo', 'info'],
]);

/** Without signs and case: `_links`, `@odata.nextLink`, `hasMore` and `has_more` are each one name. */
const plain = (name: string) => name.replaceAll(/[^A-Za-z]/g, '').toLowerCase();

/** Whether an answer shows that there is another page, by the usual fields or a `Link` header. */
export function showsMore(answer: JsonValue, link: string | null): boolean {
  if (link !== null && hasNextLink(link)) return true;
  return isObject(answer) && (saysMore(answer) || holdersOf(answer).some(saysMore));
}

/** Whether a `Link` header has one whose relation is `next`. */
function hasNextLink(header: string): boolean {
  const parameters = header.split(/[,;]/).map((part) => part.trim().toLowerCase());
  return parameters.some((parameter) => {
    const relations = parameter.startsWith('rel=') ? parameter.slice('rel='.length).replaceAll('"', '') : '';
    return relations.split(' ').includes('next');
  });
}

const holdersOf = (answer: JsonRecord): JsonRecord[] =>
  Object.entries(answer).flatMap(([name, value]) =>
    holders.has(plain(name)) && isObject(value) ? [value] : [],
  );

function saysMore(fields: JsonRecord): boolean {
  return Object.entries(fields).some(([name, value]) => {
    if (flags.has(plain(name))) return value === true;
    if (!leads.has(plain(name))) return false;
    if (isObject(value)) return typeof value['href'] === 'string' && value['href'] !== '';
    return typeof value === 'string' ? value !== '' : typeof value === 'number' && value > 0;
  });
}

const isObject = (value: JsonValue | undefined): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
