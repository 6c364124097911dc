import { type CheckedStatement, checkStatement } from '../../../../packages/sql-guard/index.ts';
import type { Engine } from './engine.ts';
import type { ProcessStatement } from './messages.ts';

type Checkable = Omit<ProcessStatement, 'plain'>;

const mostKept = 200;
const mostKeyChars = 20_000;
/** Of more than these, the key would be too long: it is not even written. */
const mostRelations = 400;

/**
 * Checks a statement, unless the same was checked before: the same text, over the same relations at the same
 * versions. A check reads nothing but that, and its parsing takes longer than many statements.
 */
export async function checkedOnce(engine: Engine, statement: Checkable): Promise<CheckedStatement> {
  const key = keyOf(statement);
  const known = key === undefined ? undefined : engine.checked.get(key);
  const checked = known ?? (await checkStatement(engine.parser, { ...statement, mayExplain: true }));
  if (key === undefined) return checked;
  // In order of use, least recently used first.
  engine.checked.delete(key);
  engine.checked.set(key, checked);
  const [oldest] = engine.checked.keys();
  if (engine.checked.size > mostKept) engine.checked.delete(oldest!);
  return checked;
}

/** All that a check depends on; undefined if that is too much to keep. */
function keyOf(statement: Checkable): string | undefined {
  const { sql, parameters, tableSources, limit, relations, atVersions } = statement;
  if (relations.length > mostRelations || sql.length > mostKeyChars) return undefined;
  try {
    const key = JSON.stringify([sql, parameters, tableSources, limit, relations, [...atVersions]]);
    return key.length <= mostKeyChars ? key : undefined;
  } catch {
    // Views that may name each other.
    return undefined;
  }
}
