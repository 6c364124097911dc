import type { Parser } from '../guard/parse.ts';
import { unavailable } from '../guard/refusal.ts';
import { quoted, splice, type TableEdit } from '../guard/splice.ts';
import { text } from '../guard/tree.ts';
import { walkStatement } from '../guard/walk.ts';
import { groupsRelation } from './grouped.ts';

/**
 * The `result` of an increment by groups, over a SELECT of what is kept for each group.
 *
 * @throws SqlRefusal query_failed if it reads anything else
 */
export async function overGroups({ parse }: Parser, result: string, groups: string): Promise<string> {
  const edits: TableEdit[] = [];
  const replacement = `(${groups}) AS ${quoted(groupsRelation)}`;
  walkStatement(await parse(result), {
    visitTable: (table) => {
      if (text(table['table_name']) !== groupsRelation) throw unavailable(text(table['table_name']));
      const offset = Number(table['query_location']);
      edits.push({ offset, replacement, replacementWhenDescribed: replacement });
    },
  });
  return splice(result, edits);
}
