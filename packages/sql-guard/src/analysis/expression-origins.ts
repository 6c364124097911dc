import { as, type Origins, union } from './influence.ts';
import { NotFollowed, node, nodes, type PlanNode } from './plan-node.ts';

export function at(columns: readonly Origins[], index: unknown): Origins {
  const found = columns[Number(index)];
  if (found === undefined) throw new NotFollowed();
  return found;
}

/** What affects each of an operator's expressions. */
export const expressions = (operator: PlanNode, inputs: readonly Origins[]): Origins[] =>
  nodes(operator['expressions']).map((one) => expression(one, inputs));

/** Fields that hold other expressions; a lambda's body refers to its own parameters instead. */
const operands = ['children', 'left', 'right', 'child', 'input', 'lower', 'upper'] as const;

export function expression(tree: PlanNode, inputs: readonly Origins[]): Origins {
  const kind = tree['expression_class'];
  if (kind === 'BOUND_REF') return at(inputs, tree['index']);
  if (kind === 'BOUND_COLUMN_REF' || kind === 'BOUND_SUBQUERY') throw new NotFollowed();
  const of = (field: string): Origins[] =>
    (Array.isArray(tree[field]) ? nodes(tree[field]) : tree[field] == null ? [] : [node(tree[field])]).map(
      (child) => expression(child, inputs),
    );
  const orders = (field: string): Origins[] => {
    const value = tree[field];
    const list = Array.isArray(value) ? value : ((value as PlanNode | null | undefined)?.['orders'] ?? []);
    return nodes(list).map((order) => expression(node(order['expression']), inputs));
  };
  const direct = union(operands.flatMap(of));
  if (kind === 'BOUND_CASE') {
    const checks = nodes(tree['case_checks']);
    const when = checks.map(({ when_expr: value }) => expression(node(value), inputs));
    const then = checks.map(({ then_expr: value }) => expression(node(value), inputs));
    return union([
      ...when.map(as('conditional')),
      ...[...then, ...of('else_expr')].map(as('transformation')),
    ]);
  }
  if (kind === 'BOUND_AGGREGATE')
    return union([
      as('aggregation')(direct),
      ...of('filter').map(as('filter')),
      ...orders('order_bys').map(as('sort')),
    ]);
  if (kind === 'BOUND_WINDOW')
    return union([
      as(tree['type'] === 'WINDOW_AGGREGATE' ? 'aggregation' : 'transformation')(direct),
      ...[
        ...of('partitions'),
        ...of('filter_expr'),
        ...['start_expr', 'end_expr', 'offset_expr', 'default_expr'].flatMap(of),
        ...orders('orders'),
        ...orders('arg_orders'),
      ].map(as('window')),
    ]);
  return as('transformation')(direct);
}
