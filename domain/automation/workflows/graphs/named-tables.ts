import type { Graph } from './graph.ts';
import { findNodeType } from './node-types.ts';

/** The statements of a graph's nodes, as they are written. */
export function statementsOf({ nodes }: Pick<Graph, 'nodes'>): unknown[] {
  return nodes.flatMap(({ type, config }) => (findNodeType(type)?.sqlKeys ?? []).map((key) => config[key]));
}

/**
 * Whether the name of a table occurs as a word in a text, plain or quoted. It may be a column or a part of a
 * string instead.
 */
export function mentions(text: string, name: string): boolean {
  const [whole, wanted] = [text.toLowerCase(), name.toLowerCase()];
  return [wanted, wanted.replaceAll('"', '""')].some((written) => {
    for (let at = whole.indexOf(written); at !== -1; at = whole.indexOf(written, at + 1)) {
      const around = [whole[at - 1], whole[at + written.length]];
      if (around.every((character) => character === undefined || !/[\p{L}\p{N}_]/u.test(character)))
        return true;
    }
    return false;
  });
}
