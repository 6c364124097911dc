import type { ValidationFault } from '../../../../data/errors.ts';
import type { NodeType } from './node-type.ts';

export type Loc = ValidationFault['loc'];

/** A node of a known type. */
export interface KnownNode {
  index: number;
  id: string;
  nodeType: NodeType;
}

export const outputsOf = ({ nodeType }: KnownNode): string =>
  [...nodeType.outputs.map(({ name }) => name), 'done'].join(', ');

export const inputsOf = ({ nodeType }: KnownNode): string =>
  [...nodeType.inputs.map(({ name }) => name), 'start'].join(', ');

/** An end of an edge: `node.port`. */
export function splitEnd(end: string): [node: string, port: string] {
  const dot = end.lastIndexOf('.');
  return dot < 0 ? [end, ''] : [end.slice(0, dot), end.slice(dot + 1)];
}
