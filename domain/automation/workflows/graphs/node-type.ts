import type { z } from 'zod';

/** What goes from a node to another. */
export const portTypes = ['table', 'rows', 'report', 'file', 'value'] as const;
export type PortType = (typeof portTypes)[number];

export interface InputPort {
  name: string;
  types: readonly PortType[];
  required: boolean;
  /** Whether several edges may end there. */
  many: boolean;
}

export interface OutputPort {
  name: string;
  type: PortType;
}

/**
 * One kind of node, declared once: the listing, the validation and what a node does are made from it. Every
 * node has an input `start` and an output `done` beside its own, for order alone.
 */
export interface NodeType<Config extends z.ZodObject = z.ZodObject> {
  type: string;
  label: string;
  config: Config;
  inputs: readonly InputPort[];
  outputs: readonly OutputPort[];
  /** Members of the config that are sealed, and read back as asterisks. */
  secretKeys: readonly string[];
  /** Members of the config whose `${…}` are bound as values, never pasted. */
  sqlKeys: readonly string[];
}

export function defineNodeType<Config extends z.ZodObject>(
  declared: Omit<NodeType<Config>, 'secretKeys' | 'sqlKeys'> &
    Partial<Pick<NodeType, 'secretKeys' | 'sqlKeys'>>,
): NodeType<Config> {
  return { secretKeys: [], sqlKeys: [], ...declared };
}
