import type { Definition, Image, ImageReference, Root } from 'mdast';
import type { ReportReferences } from './contract.ts';
import { walk } from './tree.ts';

/** What an image of a report refers to. `other` is shown as text and never fetched. */
export type Reference =
  | { kind: 'chart' | 'result'; id: string }
  | { kind: 'image'; path: string }
  | { kind: 'other'; url: string };

const kept = /^(chart|result):((?:cht|res)_[0-9a-z]{26})$/;
const scheme = /^[a-z][a-z0-9+.-]*:/i;

export function referenceOf(url: string): Reference {
  const [, kind, id] = kept.exec(url) ?? [];
  if (kind === 'chart' || kind === 'result') return { kind, id: id! };
  if (url === '' || scheme.test(url) || /^[/\\#?]/.test(url)) return { kind: 'other', url };
  try {
    const path = decodeURIComponent(url.replace(/^(?:\.\/)+/, '')).normalize('NFC');
    return { kind: 'image', path };
  } catch {
    return { kind: 'other', url };
  }
}

/** Definitions of links and images by name; the first of a name counts. */
export function definitionsOf(root: Root): ReadonlyMap<string, Definition> {
  const definitions = new Map<string, Definition>();
  for (const node of walk(root))
    if (node.type === 'definition' && !definitions.has(node.identifier))
      definitions.set(node.identifier, node);
  return definitions;
}

export function urlOf(
  node: Image | ImageReference,
  definitions: ReadonlyMap<string, Definition>,
): string | undefined {
  return node.type === 'image' ? node.url : definitions.get(node.identifier)?.url;
}

/** The report's references, without duplicates. */
export function referencesOf(root: Root): ReportReferences {
  const definitions = definitionsOf(root);
  const found = { chart: new Set<string>(), result: new Set<string>(), image: new Set<string>() };
  for (const node of walk(root)) {
    if (node.type !== 'image' && node.type !== 'imageReference') continue;
    const reference = referenceOf(urlOf(node, definitions) ?? '');
    if (reference.kind === 'image') found.image.add(reference.path);
    else if (reference.kind !== 'other') found[reference.kind].add(reference.id);
  }
  return { charts: [...found.chart], results: [...found.result], images: [...found.image] };
}

const linked = /^(?:https?:\/\/|mailto:)[^\s\p{Cc}]{1,2000}$/iu;

/** Whether the URL has no scheme, also for browsers, which ignore invisible characters. */
export const isRelative = (url: string): boolean => /^[^\s\p{Cc}:/?#]*(?:[/?#][^\p{Cc}]*)?$/u.test(url);

/** The address of a link that is allowed in a document. */
export const linkOf = (url: string | undefined): string | undefined =>
  url !== undefined && linked.test(url) ? url : undefined;
