import { unavailable, uninspectable } from './refusal.ts';
import { foldName, isNode, type TreeNode, type TreeValue, text } from './tree.ts';

/**
 * Types that the parser resolves by name through the catalog. Any other name could only come from a user's
 * catalog.
 */
const namedTypes = new Set(
  `bigint binary bit bitstring blob bool boolean bpchar bytea char date datetime dec decimal double enum
  float float4 float8 guid hugeint int int1 int128 int16 int2 int32 int4 int64 int8 integer integral interval
  json list logical long map nchar null numeric nvarchar oid real row short signed smallint string struct
  text time timestamp timestamp_ms timestamp_ns timestamp_s timestamp_us timestamptz time_ns timetz tinyint
  ubigint uhugeint uint128 uint16 uint32 uint64 uint8 uinteger union usmallint utinyint uuid varbinary
  varchar variant varint bignum array`.split(/\s+/),
);

/** Checks a type and the types inside it; expressions in a type are walked like any others. */
export function checkType(value: TreeValue, walkExpression: (node: TreeNode) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) checkType(item, walkExpression);
    return;
  }
  if (!isNode(value)) return;
  if ('class' in value) {
    walkExpression(value);
    return;
  }
  if ('function_name' in value || 'table_name' in value || 'query' in value) throw uninspectable('A type');
  if (value['type'] === 'UNBOUND_TYPE_INFO') {
    const name = text(value['name']);
    const isBuiltIn = text(value['catalog']) === '' && text(value['schema']) === '';
    if (!isBuiltIn || !namedTypes.has(foldName(name))) throw unavailable(name);
  }
  for (const field of Object.keys(value)) checkType(value[field] ?? null, walkExpression);
}
