import type { z } from 'zod';

/** The types of values passed between nodes. */
export const portTypes = ['table', 'rows', 'report', 'file', 'value'] as const;
export type PortType = (typeof portTypes)[number];

export interface InputPort {
  name: string;
  types: readonly PortType[];
  required: boolean;
  /** Whether it accepts several edges. */
  many: boolean;
}

export interface OutputPort {
  name: string;
  type: PortType;
}

/**
 * One type of node; the listing, the validation and the execution are derived from this declaration. Every
 * node also has an input `start` and an output `done`, which only define order.
 */
export interface NodeType<Config extends z.ZodObject = z.ZodObject> {
  type: string;
  label: string;
  config: Config;
  inputs: readonly InputPort[];
  outputs: readonly OutputPort[];
  /** Config members that are sealed, and read back as asterisks. */
  secretKeys: readonly string[];
  /** Config members in which `${…}` is bound as a value, never inserted as text. */
  sqlKeys: readonly string[];
}

export function defineNodeType<Config extends z.ZodObject>(
  declared: Omit<NodeType<Config>, 'secretKeys' | 'sqlKeys'> &
    Partial<Pick<NodeType, 'secretKeys' | 'sqlKeys'>>,
): NodeType<Config> {
  return { secretKeys: [], sqlKeys: [], ...declared };
}
