import type { Influence } from './contract.ts';
import { at, expression, expressions } from './expression-origins.ts';
import { as, type Origins, originKey, union } from './influence.ts';
import { NotFollowed, node, nodes, type PlanNode } from './plan-node.ts';

/** The columns of an operator's result, and what affects all of its rows. */
interface Result {
  columns: Origins[];
  rows: Origins;
}

interface Context {
  /** The results of common table expressions, by their index. */
  shared: Map<number, Result>;
  /** The columns that the correlated side of a join sees, innermost last. */
  correlated: Origins[][];
}

/** Of each output column, the columns of tables that affect it; undefined if the plan cannot be followed. */
export function originsOf(plan: PlanNode, columnCount: number): Origins[] | undefined {
  try {
    const { columns, rows } = follow(plan, { shared: new Map(), correlated: [] });
    return columns.length === columnCount ? columns.map((column) => union([column, rows])) : undefined;
  } catch (error) {
    if (error instanceof NotFollowed || error instanceof RangeError) return undefined;
    throw error;
  }
}

function follow(operator: PlanNode, context: Context): Result {
  const rule = rules[String(operator['type'])];
  if (rule === undefined) throw new NotFollowed();
  return rule(operator, context);
}

type Rule = (operator: PlanNode, context: Context) => Result;

const only = (operator: PlanNode, context: Context): Result => {
  const [child, ...more] = nodes(operator['children']);
  if (child === undefined || more.length > 0) throw new NotFollowed();
  return follow(child, context);
};

const rules: Readonly<Record<string, Rule>> = {
  LOGICAL_GET: scan,
  LOGICAL_PROJECTION: (operator, context) => {
    const child = only(operator, context);
    return { columns: expressions(operator, child.columns), rows: child.rows };
  },
  LOGICAL_FILTER: (operator, context) => {
    const child = only(operator, context);
    const rows = union([child.rows, ...expressions(operator, child.columns).map(as('filter'))]);
    return { columns: projected(child.columns, operator['projection_map']), rows };
  },
  LOGICAL_AGGREGATE_AND_GROUP_BY: (operator, context) => {
    const child = only(operator, context);
    const groups = nodes(operator['groups']).map((group) => expression(group, child.columns));
    const groupings = Array.isArray(operator['grouping_functions'])
      ? operator['grouping_functions'].map((): Origins => union(groups.map(as('group_by'))))
      : [];
    return {
      columns: [...groups, ...expressions(operator, child.columns), ...groupings],
      rows: union([child.rows, ...groups.map(as('group_by'))]),
    };
  },
  LOGICAL_COMPARISON_JOIN: join,
  LOGICAL_DELIM_JOIN: join,
  LOGICAL_ASOF_JOIN: join,
  LOGICAL_ANY_JOIN: join,
  LOGICAL_DEPENDENT_JOIN: join,
  LOGICAL_CROSS_PRODUCT: join,
  LOGICAL_POSITIONAL_JOIN: join,
  LOGICAL_WINDOW: (operator, context) => {
    const child = only(operator, context);
    return { columns: [...child.columns, ...expressions(operator, child.columns)], rows: child.rows };
  },
  LOGICAL_UNNEST: (operator, context) => {
    const child = only(operator, context);
    return { columns: [...child.columns, ...expressions(operator, child.columns)], rows: child.rows };
  },
  LOGICAL_ORDER_BY: sorted,
  LOGICAL_TOP_N: sorted,
  LOGICAL_LIMIT: only,
  LOGICAL_SAMPLE: only,
  LOGICAL_DISTINCT: (operator, context) => {
    const child = only(operator, context);
    if (operator['distinct_type'] !== 'DISTINCT_ON') return child;
    const targets = nodes(operator['distinct_targets']).map((target) => expression(target, child.columns));
    return { ...child, rows: union([child.rows, ...targets.map(as('group_by'))]) };
  },
  LOGICAL_UNION: combined,
  LOGICAL_INTERSECT: combined,
  LOGICAL_EXCEPT: (operator, context) => {
    const [left, right] = nodes(operator['children']).map((child) => follow(child, context));
    if (left === undefined || right === undefined) throw new NotFollowed();
    return {
      columns: left.columns,
      rows: union([left.rows, right.rows, ...right.columns.map(as('filter'))]),
    };
  },
  LOGICAL_MATERIALIZED_CTE: (operator, context) => {
    const [shared, query] = nodes(operator['children']);
    if (shared === undefined || query === undefined) throw new NotFollowed();
    context.shared.set(Number(operator['table_index']), follow(shared, context));
    return follow(query, context);
  },
  LOGICAL_RECURSIVE_CTE: (operator, context) => {
    const [first, next] = nodes(operator['children']);
    if (first === undefined || next === undefined) throw new NotFollowed();
    const index = Number(operator['table_index']);
    let result = follow(first, context);
    // Each round may carry a column one place further, and what is known only grows.
    for (let round = 0; round <= result.columns.length; round += 1) {
      context.shared.set(index, result);
      result = merged([result, follow(next, context)]);
    }
    return result;
  },
  LOGICAL_CTE_REF: (operator, context) => {
    const shared = context.shared.get(Number(operator['cte_index']));
    if (shared === undefined) throw new NotFollowed();
    return shared;
  },
  LOGICAL_DELIM_GET: (operator, context) => {
    const types = operator['chunk_types'];
    const columns = context.correlated.at(-1);
    if (!Array.isArray(types) || columns?.length !== types.length) throw new NotFollowed();
    return { columns, rows: new Map() };
  },
  LOGICAL_EXPRESSION_GET: (operator, context) => {
    const child = only(operator, context);
    const lists = operator['expressions'];
    if (!Array.isArray(lists)) throw new NotFollowed();
    return merged(
      lists.map((list) => ({
        columns: nodes(list).map((value) => expression(value, child.columns)),
        rows: child.rows,
      })),
    );
  },
  LOGICAL_DUMMY_SCAN: () => ({ columns: [new Map()], rows: new Map() }),
};

function scan(operator: PlanNode, context: Context): Result {
  const indexes = nodes(operator['column_indexes']).map(({ index }) => Number(index));
  const names = operator['names'];
  if (!Array.isArray(names)) throw new NotFollowed();
  const data = operator['function_data'];
  const table = typeof data === 'object' && data !== null ? (data as PlanNode)['table'] : undefined;
  const inputs = nodes(operator['children']).map((child) => follow(child, context));
  if (inputs.length > 0) {
    // A table function over rows: any of its columns may come from any of theirs.
    const all = union(inputs.flatMap(({ columns }) => columns.map(as('transformation'))));
    const own = indexes.map(() => all);
    const passed = Array.isArray(operator['projected_input'])
      ? operator['projected_input'].map((index) => at(inputs[0]!.columns, index))
      : [];
    return { columns: [...own, ...passed], rows: union(inputs.map(({ rows }) => rows)) };
  }
  const columns = indexes.map((index): Origins => {
    const column = names[index];
    return typeof table === 'string' && typeof column === 'string'
      ? new Map([[originKey(table, column), new Set<Influence>(['identity'])]])
      : new Map();
  });
  return { columns: projected(columns, operator['projection_ids']), rows: new Map() };
}

function join(operator: PlanNode, context: Context): Result {
  const [one, other] = nodes(operator['children']);
  if (one === undefined || other === undefined) throw new NotFollowed();
  const seen = nodes(operator['duplicate_eliminated_columns']);
  const isFlipped = operator['delim_flipped'] === true;
  const first = follow(isFlipped ? other : one, context);
  if (seen.length > 0) context.correlated.push(seen.map((column) => expression(column, first.columns)));
  const second = follow(isFlipped ? one : other, context);
  if (seen.length > 0) context.correlated.pop();
  const [left, right] = isFlipped ? [second, first] : [first, second];
  const conditions = nodes(operator['conditions']).flatMap((condition) => [
    expression(node(condition['left']), left.columns),
    expression(node(condition['right']), right.columns),
  ]);
  const sides = [...left.columns, ...right.columns];
  const further = ['condition', 'predicate'].flatMap((field) =>
    operator[field] === undefined || operator[field] === null
      ? []
      : [expression(node(operator[field]), sides)],
  );
  const others = expressions(operator, sides);
  const matched = union([...conditions, ...further, ...others].map(as('join')));
  const rows = union([left.rows, right.rows, matched]);
  const leftColumns = projected(left.columns, operator['left_projection_map']);
  const rightColumns = projected(right.columns, operator['right_projection_map']);
  switch (operator['join_type']) {
    case 'SEMI':
    case 'ANTI':
      return { columns: leftColumns, rows: union([rows, ...right.columns.map(as('filter'))]) };
    case 'RIGHT_SEMI':
    case 'RIGHT_ANTI':
      return { columns: rightColumns, rows: union([rows, ...left.columns.map(as('filter'))]) };
    case 'MARK': {
      const mark = union([...conditions.map(as('conditional')), right.rows]);
      return { columns: [...leftColumns, mark], rows: union([left.rows]) };
    }
    default:
      return { columns: [...leftColumns, ...rightColumns], rows };
  }
}

function sorted(operator: PlanNode, context: Context): Result {
  const child = only(operator, context);
  const orders = nodes(operator['orders']).map((order) =>
    expression(node(order['expression']), child.columns),
  );
  return {
    columns: projected(child.columns, operator['projections'] ?? operator['projection_map']),
    rows: union([child.rows, ...orders.map(as('sort'))]),
  };
}

function combined(operator: PlanNode, context: Context): Result {
  return merged(nodes(operator['children']).map((child) => follow(child, context)));
}

function merged(results: readonly Result[]): Result {
  const [first] = results;
  if (first === undefined || results.some(({ columns }) => columns.length !== first.columns.length))
    throw new NotFollowed();
  return {
    columns: first.columns.map((_, index) => union(results.map(({ columns }) => columns[index]!))),
    rows: union(results.map(({ rows }) => rows)),
  };
}

function projected(columns: Origins[], map: unknown): Origins[] {
  if (!Array.isArray(map) || map.length === 0) return columns;
  return map.map((index) => at(columns, index));
}
