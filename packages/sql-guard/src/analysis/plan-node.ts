/** A node of the engine's bound plan, as `json_serialize_plan` prints it. */
export type PlanNode = Record<string, unknown>;

/** The plan has something whose columns cannot be followed. */
export class NotFollowed extends Error {}

export const node = (value: unknown): PlanNode => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NotFollowed();
  return value as PlanNode;
};

export const nodes = (value: unknown): PlanNode[] => {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new NotFollowed();
  return value.map(node);
};
