import type { PlanNode } from './plan-node.ts';

/**
 * Operators over which a statement distributes: what it gives for rows that were added is what it gives more.
 * An outer join is none of them, since a row that is added may end the row of nulls for its partner.
 */
const distributive: ReadonlySet<string> = new Set([
  'LOGICAL_GET',
  'LOGICAL_PROJECTION',
  'LOGICAL_FILTER',
  'LOGICAL_CROSS_PRODUCT',
  'LOGICAL_UNNEST',
  'LOGICAL_DUMMY_SCAN',
  'LOGICAL_EXPRESSION_GET',
]);
const joins: ReadonlySet<string> = new Set(['LOGICAL_COMPARISON_JOIN', 'LOGICAL_ANY_JOIN']);

/** Whether a plan filters, projects and joins only, by functions that always give the same. */
export function isLinear(operator: PlanNode, unstable: ReadonlySet<string>): boolean {
  const type = String(operator['type']);
  const children = childrenOf(operator);
  if (joins.has(type) ? operator['join_type'] !== 'INNER' : !distributive.has(type)) return false;
  if (type === 'LOGICAL_GET' && children.length > 0) return false;
  return isStable(operator, unstable) && children.every((child) => isLinear(child, unstable));
}

export const childrenOf = (operator: PlanNode): PlanNode[] =>
  Array.isArray(operator['children']) ? (operator['children'] as PlanNode[]) : [];

const refused: ReadonlySet<unknown> = new Set(['BOUND_AGGREGATE', 'BOUND_SUBQUERY', 'BOUND_WINDOW']);

/** Whether the expressions of an operator depend on nothing but its row. */
export function isStable(operator: PlanNode, unstable: ReadonlySet<string>): boolean {
  return Object.entries(operator).every(
    ([field, value]) => field === 'children' || isSteady(value, unstable),
  );
}

function isSteady(value: unknown, unstable: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.every((item) => isSteady(item, unstable));
  if (typeof value !== 'object' || value === null) return true;
  const { expression_class: kind, name } = value as PlanNode;
  if (refused.has(kind)) return false;
  if (kind === 'BOUND_FUNCTION' && unstable.has(String(name).toLowerCase())) return false;
  return Object.values(value).every((item) => isSteady(item, unstable));
}
