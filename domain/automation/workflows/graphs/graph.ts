import { z } from 'zod';
import { limits } from '../../../workspace/limits/limits.ts';

/** A graph of valid form; `validate.ts` checks its consistency. */
export interface Graph {
  version: 1;
  parameters: Record<string, unknown>;
  nodes: GraphNode[];
  edges: { from: string; to: string }[];
}

export interface GraphNode {
  id: string;
  type: string;
  name: string;
  config: Record<string, unknown>;
  retry?: { max_attempts: number } | undefined;
  timeout_seconds?: number | undefined;
}

export const maxNodes = limits.workflows.nodes.most;
export const maxEdges = limits.workflows.edges.most;

const map = z.record(z.string(), z.unknown());

export const graphForm = z.strictObject({
  version: z.literal(1),
  parameters: map.default({}),
  nodes: z.array(z.unknown()).min(1).max(maxNodes),
  edges: z
    .array(z.strictObject({ from: z.string(), to: z.string() }))
    .max(maxEdges)
    .default([]),
});

export const nodeForm = z.strictObject({
  id: z
    .string()
    .regex(
      /^[A-Za-z_][\w-]{0,63}$/,
      'An id must begin with a letter or _ and contain only letters, digits, _ and -.',
    )
    .refine(
      (id) => id !== 'params',
      'A node cannot have the id params, because it stands for the parameters.',
    ),
  type: z.string(),
  name: z.string().min(1).max(200),
  config: map.default({}),
  retry: z.strictObject({ max_attempts: z.int().min(1).max(10) }).optional(),
  timeout_seconds: z.int().min(1).max(86_400).optional(),
});
