import type { ValidationFault } from '../../../../data/errors.ts';
import { type Loc, splitEnd } from './known-node.ts';
import type { PortType } from './node-type.ts';
import { readGraph } from './read-graph.ts';

/** What each type can be written as; a file stays as it is, and a value is no file. */
const formatsOf: Partial<Record<PortType, readonly string[]>> = {
  report: ['markdown', 'pdf', 'docx'],
  rows: ['csv', 'json'],
};

/**
 * Nodes whose config asks for a format that nothing that comes in can have. Of drafts only: versions that
 * were activated with one go on as they did, without it.
 */
export function formatFaults(document: unknown, at: Loc = ['body', 'graph']): ValidationFault[] {
  const { nodes, edges = [] } = readGraph(document, at);
  const typeOf = (end: string): PortType | undefined => {
    const [source, port] = splitEnd(end);
    const from = nodes.find(({ id }) => id === source);
    return from?.nodeType?.outputs.find(({ name }) => name === port)?.type;
  };
  return nodes.flatMap(({ index, id, rightConfig: { format } }) => {
    if (typeof format !== 'string') return [];
    const incoming = edges.filter(({ to }) => to === `${id}.input`);
    const types = new Set(incoming.flatMap(({ from }) => (from === undefined ? [] : (typeOf(from) ?? []))));
    const written = [...types].filter((type) => type in formatsOf);
    const formats = written.flatMap((type) => formatsOf[type]!);
    if (formats.length === 0 || formats.includes(format)) return [];
    const msg = `The input of this node (${written.join(', ')}) can be written as ${formats.join(', ')}, but not as ${format}.`;
    return [{ loc: [...at, 'nodes', index, 'config', 'format'], type: 'value_error', msg }];
  });
}
