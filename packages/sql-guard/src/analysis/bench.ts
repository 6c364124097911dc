import type { Parser } from '../guard/parse.ts';
import { sameTree, type TreeNode } from '../guard/tree.ts';
import type { Binder } from './binder.ts';
import type { ColumnedRelation } from './contract.ts';
import type { PlanNode } from './plan-node.ts';

/** A statement that was parsed and bound. */
export interface AnalyzedTree {
  tree: TreeNode;
  columns: readonly { name: string; dataType: string }[];
  plan: PlanNode;
  /** What it reads; the binder has their shapes. */
  relations: readonly ColumnedRelation[];
  /** Whether it is built, so that it matters how its groups are merged. */
  isBuilt: boolean;
}

/** What a statement is taken apart with, and put together again. */
export interface Bench {
  binder: Binder;
  /** Undefined if the text would not be read as the same tree. */
  print(tree: TreeNode): Promise<string | undefined>;
  expression(sql: string): Promise<TreeNode>;
  cast(node: TreeNode, type: string): Promise<TreeNode>;
  table(name: string): Promise<TreeNode>;
}

export function benchOf({ parse, print }: Parser, binder: Binder): Bench {
  const item = async (sql: string): Promise<TreeNode> => {
    const tree = await parse(`SELECT ${sql}`);
    return (tree['select_list'] as TreeNode[])[0]!;
  };
  return {
    binder,
    async print(tree) {
      const statements = { error: false, statements: [{ node: tree, named_param_map: [] }] };
      // Unknown places are too large for a JavaScript number, and of no use.
      const sql = await print(
        JSON.stringify(statements, (field, value) => (field === 'query_location' ? 0 : value)),
      );
      return sql !== undefined && sameTree(await parse(sql), tree) ? sql : undefined;
    },
    expression: item,
    cast: async (node, type) => ({ ...(await item(`CAST(NULL AS ${type})`)), child: { ...node, alias: '' } }),
    table: async (name) => (await parse(`SELECT * FROM "${name}"`))['from_table'] as TreeNode,
  };
}
