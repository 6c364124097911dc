/**
 * Every field of every kind of node that DuckDB 1.5 prints for a SELECT. Unknown kinds and fields are
 * refused, because the walk cannot have checked them.
 */
export type FieldRole =
  /** A name, a flag or a constant, which cannot name a table or call a function. */
  | 'plain'
  /** An expression, a list of them (at any depth), or null. */
  | 'expressions'
  | 'type'
  | 'query'
  | 'table'
  | 'orders'
  | 'modifiers'
  | 'caseChecks'
  | 'pivots'
  /** Checked by the node's own rule. */
  | 'own'
  /** Must be empty, false or null. */
  | 'absent';

export type Shape = Readonly<Record<string, FieldRole>>;

const expression = { class: 'plain', type: 'plain', alias: 'plain', query_location: 'plain' } as const;

export const expressionShapes: Readonly<Record<string, Shape>> = {
  BETWEEN: { ...expression, input: 'expressions', lower: 'expressions', upper: 'expressions' },
  CASE: { ...expression, case_checks: 'caseChecks', else_expr: 'expressions' },
  CAST: { ...expression, child: 'expressions', cast_type: 'type', try_cast: 'plain' },
  COLLATE: { ...expression, child: 'expressions', collation: 'plain' },
  COLUMN_REF: { ...expression, column_names: 'plain' },
  COMPARISON: { ...expression, left: 'expressions', right: 'expressions' },
  CONJUNCTION: { ...expression, children: 'expressions' },
  CONSTANT: { ...expression, value: 'plain' },
  FUNCTION: {
    ...expression,
    function_name: 'own',
    schema: 'own',
    catalog: 'own',
    children: 'expressions',
    filter: 'expressions',
    order_bys: 'modifiers',
    distinct: 'plain',
    is_operator: 'plain',
    export_state: 'absent',
  },
  LAMBDA: { ...expression, lhs: 'expressions', expr: 'expressions' },
  OPERATOR: { ...expression, children: 'expressions' },
  POSITIONAL_REFERENCE: { ...expression, index: 'plain' },
  STAR: {
    ...expression,
    relation_name: 'plain',
    exclude_list: 'plain',
    qualified_exclude_list: 'plain',
    rename_list: 'plain',
    replace_list: 'own',
    columns: 'plain',
    expr: 'expressions',
  },
  SUBQUERY: {
    ...expression,
    subquery_type: 'plain',
    subquery: 'query',
    child: 'expressions',
    comparison_type: 'plain',
  },
  WINDOW: {
    ...expression,
    function_name: 'own',
    schema: 'own',
    catalog: 'own',
    children: 'expressions',
    partitions: 'expressions',
    orders: 'orders',
    start: 'plain',
    end: 'plain',
    start_expr: 'expressions',
    end_expr: 'expressions',
    offset_expr: 'expressions',
    default_expr: 'expressions',
    ignore_nulls: 'plain',
    filter_expr: 'expressions',
    exclude_clause: 'plain',
    distinct: 'plain',
    arg_orders: 'orders',
  },
};

const queryNode = { type: 'plain', modifiers: 'modifiers', cte_map: 'own' } as const;

export const queryShapes: Readonly<Record<string, Shape>> = {
  SELECT_NODE: {
    ...queryNode,
    select_list: 'expressions',
    from_table: 'table',
    where_clause: 'expressions',
    group_expressions: 'expressions',
    group_sets: 'plain',
    aggregate_handling: 'plain',
    having: 'expressions',
    sample: 'plain',
    qualify: 'expressions',
  },
  SET_OPERATION_NODE: {
    ...queryNode,
    setop_type: 'plain',
    left: 'query',
    right: 'query',
    setop_all: 'plain',
  },
  RECURSIVE_CTE_NODE: {
    ...queryNode,
    cte_name: 'own',
    union_all: 'plain',
    left: 'query',
    right: 'own',
    aliases: 'plain',
    key_targets: 'expressions',
  },
};

const table = { type: 'plain', alias: 'plain', sample: 'plain', query_location: 'plain' } as const;

export const tableShapes: Readonly<Record<string, Shape>> = {
  EMPTY: table,
  BASE_TABLE: {
    ...table,
    catalog_name: 'own',
    schema_name: 'own',
    table_name: 'own',
    column_name_alias: 'plain',
    at_clause: 'own',
  },
  SUBQUERY: { ...table, subquery: 'query', column_name_alias: 'plain' },
  TABLE_FUNCTION: { ...table, function: 'own', column_name_alias: 'plain', with_ordinality: 'plain' },
  EXPRESSION_LIST: { ...table, expected_names: 'plain', expected_types: 'type', values: 'expressions' },
  JOIN: {
    ...table,
    left: 'table',
    right: 'table',
    condition: 'expressions',
    join_type: 'plain',
    ref_type: 'plain',
    using_columns: 'plain',
    delim_flipped: 'absent',
    duplicate_eliminated_columns: 'absent',
  },
  PIVOT: {
    ...table,
    source: 'table',
    aggregates: 'expressions',
    unpivot_names: 'plain',
    pivots: 'pivots',
    groups: 'plain',
    column_name_alias: 'plain',
    include_nulls: 'plain',
  },
  SHOW_REF: {
    ...table,
    catalog_name: 'absent',
    schema_name: 'absent',
    table_name: 'absent',
    query: 'query',
    show_type: 'plain',
  },
};

export const modifierShapes: Readonly<Record<string, Shape>> = {
  ORDER_MODIFIER: { type: 'plain', orders: 'orders' },
  LIMIT_MODIFIER: { type: 'plain', limit: 'expressions', offset: 'expressions' },
  LIMIT_PERCENT_MODIFIER: { type: 'plain', limit: 'expressions', offset: 'expressions' },
  DISTINCT_MODIFIER: { type: 'plain', distinct_on_targets: 'expressions' },
};

export const orderShape: Shape = { type: 'plain', null_order: 'plain', expression: 'expressions' };
export const caseCheckShape: Shape = { when_expr: 'expressions', then_expr: 'expressions' };
export const pivotShape: Shape = {
  pivot_expressions: 'expressions',
  unpivot_names: 'plain',
  entries: 'pivots',
  pivot_enum: 'absent',
};
export const pivotEntryShape: Shape = { values: 'plain', star_expr: 'expressions', alias: 'plain' };
export const commonTableShape: Shape = {
  aliases: 'plain',
  query: 'query',
  materialized: 'plain',
  key_targets: 'expressions',
};
