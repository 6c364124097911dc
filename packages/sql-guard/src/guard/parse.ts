import type { DuckDBConnection } from '@duckdb/node-api';
import type { PrintSelect } from './column-names.ts';
import { SqlRefusal, uninspectable } from './refusal.ts';
import { isNode, type TreeNode, text } from './tree.ts';

/** One SELECT of the text, as DuckDB's own parser reads it. */
export type ParseSelect = (sql: string) => Promise<TreeNode>;

export interface Parser {
  parse: ParseSelect;
  print: PrintSelect;
}

/**
 * DuckDB replaces these characters by a space before it parses, outside of quotes, and reports positions in
 * the result. Doing the same first keeps those positions correct. An unclosed quote extends to the end, where
 * the parser refuses it.
 */
const quotedOrUnicodeSpace =
  /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\$([A-Za-z_\x80-\uffff]*)\$[\s\S]*?(?:\$\1\$|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\u00a0\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/g;

export function withPlainSpaces(sql: string): string {
  if (!/[\u00a0\u2000-\u206f\u3000\ufeff]/.test(sql)) return sql;
  return sql.replace(quotedOrUnicodeSpace, (match) => (match.length === 1 && match > '~' ? ' ' : match));
}

export async function createParser(connection: DuckDBConnection): Promise<Parser> {
  const serialize = await connection.prepare('SELECT json_serialize_sql($1::VARCHAR)');
  const parse: ParseSelect = async (sql) => {
    // The engine would stop reading at it.
    if (sql.includes('\0')) throw new SqlRefusal('query_failed', 'The statement contains a NUL character.');
    serialize.bindVarchar(1, sql);
    const result = await serialize.run();
    const chunk = await result.fetchChunk();
    return onlySelect(sql, readTree(String(chunk?.getColumnVector(0).getItem(0))));
  };
  const print: PrintSelect = async (statementsJson) => {
    // A name that cannot be printed stays as the engine returns it; only its appearance is affected.
    const result = await connection
      .run('SELECT json_deserialize_sql($1::JSON)', [statementsJson])
      .catch(() => undefined);
    const chunk = await result?.fetchChunk();
    return chunk ? String(chunk.getColumnVector(0).getItem(0)) : undefined;
  };
  return { parse, print };
}

function readTree(json: string): TreeNode {
  // The engine prints an overflowing constant as a bare word, which is not JSON. Inside a string literal the
  // quotes of this pattern would be escaped, so it matches only constants.
  const readable = json.replace(/(?<!\\)"value":(-?Infinity|-?NaN|-?nan|-?inf)\b/g, '"value":"$1"');
  try {
    const tree: unknown = JSON.parse(readable);
    return tree as TreeNode;
  } catch {
    throw uninspectable('A part of the statement');
  }
}

function onlySelect(sql: string, tree: TreeNode): TreeNode {
  if (tree['error'] === true) throw parseFailure(sql, tree);
  const statements = tree['statements'];
  if (!Array.isArray(statements)) throw uninspectable('The statement');
  const statement = statements[0];
  if (statement === undefined || statements.length !== 1) {
    throw new SqlRefusal('query_not_read_only', 'Send exactly one SELECT statement.');
  }
  if (!isNode(statement) || !isNode(statement['node'])) throw uninspectable('The statement');
  return statement['node'];
}

function parseFailure(sql: string, tree: TreeNode): SqlRefusal {
  const message = text(tree['error_message']);
  if (text(tree['error_type']) !== 'not implemented') {
    const position = Number(tree['position']);
    const place = Number.isFinite(position) ? ` (${placeOf(sql, position)})` : '';
    return new SqlRefusal('query_failed', `Parser Error: ${message}${place}`);
  }
  if (looksLikePivot(sql)) {
    return new SqlRefusal(
      'query_failed',
      'PIVOT without a fixed list of values cannot be checked. Write FROM … PIVOT (… FOR column IN (…)), or aggregate with FILTER.',
    );
  }
  return new SqlRefusal('query_not_read_only', 'Only one read-only SELECT statement can be run.');
}

/**
 * The parser splits a PIVOT without a list of values into several statements and then says it is not a
 * SELECT. This check of the text affects only the wording of the refusal.
 */
function looksLikePivot(sql: string): boolean {
  const bare = sql.replace(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)/g, ' ');
  return /^[\s(]*(?:with|select|from|pivot)/i.test(bare) && /\bpivot/i.test(bare);
}

/** Line and column, counted from 1, of a byte offset. */
export function placeOf(sql: string, byteOffset: number): string {
  const before = Buffer.from(sql).subarray(0, byteOffset).toString().split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
