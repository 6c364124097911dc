/** DuckDB's syntax tree as `json_serialize_sql` prints it. Every kind is checked before it is read. */
export type TreeValue = string | number | boolean | null | TreeValue[] | TreeNode;
export interface TreeNode {
  [field: string]: TreeValue;
}

export function isNode(value: TreeValue | undefined): value is TreeNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function text(value: TreeValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** DuckDB folds ASCII only: folding more would let `K` (Kelvin) stand for `k` here and not there. */
export function foldName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A statement without trailing white space and semicolons. */
export function withoutTail(sql: string): string {
  let end = sql.length;
  while (end > 0 && /[\s;]/.test(sql[end - 1]!)) end -= 1;
  return sql.slice(0, end);
}

/** Whether two trees are the same statement. Positions in the text are ignored. */
export function sameTree(left: TreeValue | undefined, right: TreeValue | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => sameTree(item, right[index]))
    );
  }
  if (!isNode(left) || !isNode(right)) return false;
  const fields = Object.keys(left);
  if (fields.length !== Object.keys(right).length) return false;
  return fields.every((field) => field === 'query_location' || sameTree(left[field], right[field]));
}
