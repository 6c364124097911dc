import type { TreeNode, TreeValue } from './tree.ts';

/** Nodes as the parser prints them, to compare a rewritten statement with the expected tree. */
export function constant(value: number): TreeNode {
  const id = value <= 2147483647 ? 'INTEGER' : 'BIGINT';
  return {
    class: 'CONSTANT',
    type: 'VALUE_CONSTANT',
    alias: '',
    query_location: 0,
    value: { type: { id, type_info: null }, is_null: false, value },
  };
}

export function greater(column: string, than: number): TreeNode {
  return {
    class: 'COMPARISON',
    type: 'COMPARE_GREATERTHAN',
    alias: '',
    query_location: 0,
    left: { class: 'COLUMN_REF', type: 'COLUMN_REF', alias: '', query_location: 0, column_names: [column] },
    right: constant(than),
  };
}

export function selectStarFrom(table: TreeNode): TreeNode {
  return {
    type: 'SELECT_NODE',
    modifiers: [],
    cte_map: { map: [] },
    select_list: [
      {
        class: 'STAR',
        type: 'STAR',
        alias: '',
        query_location: 0,
        relation_name: '',
        exclude_list: [],
        replace_list: [],
        columns: false,
        expr: null,
        qualified_exclude_list: [],
        rename_list: [],
      },
    ],
    from_table: table,
    where_clause: null,
    group_expressions: [],
    group_sets: [],
    aggregate_handling: 'STANDARD_HANDLING',
    having: null,
    sample: null,
    qualify: null,
  };
}

export function subqueryTable(
  query: TreeNode,
  alias: string,
  sample: TreeValue,
  columnAliases: TreeValue,
): TreeNode {
  return {
    type: 'SUBQUERY',
    alias,
    sample,
    query_location: 0,
    subquery: { node: query, named_param_map: [] },
    column_name_alias: columnAliases,
  };
}
