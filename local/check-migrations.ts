/**
 * Checks that migrations are safe while a service is running: nothing is rewritten or scanned under a lock
 * that blocks access to a table, and nothing is removed that the previous release still reads. A statement
 * that must do so is allowed by a preceding comment, `-- allowed: <reason>`.
 */
import { globSync, readFileSync } from 'node:fs';

/** Earlier migrations are applied everywhere and never change. */
const firstHeld = '0045';

interface Rule {
  is: RegExp;
  /**
   * Whether tables created in the same file are exempt: they have no rows and no readers yet. Group 1 of `is`
   * is the table's name.
   */
  onOldTablesOnly: boolean;
  why: string;
}

const rules: readonly Rule[] = [
  {
    is: /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY IF NOT EXISTS ).*? ON (\w+)/i,
    onOldTablesOnly: true,
    why: 'build an index with CONCURRENTLY IF NOT EXISTS, alone in a file that starts with "-- outside a transaction"',
  },
  {
    is: /^ALTER TABLE (?:ONLY )?(\w+)\b.*\bALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b/i,
    onOldTablesOnly: true,
    why: 'changing a type rewrites the table; add a column and fill it in batches',
  },
  {
    is: /^ALTER TABLE (?:ONLY )?(\w+)\b.*\bSET NOT NULL\b/i,
    onOldTablesOnly: true,
    why: 'SET NOT NULL scans the table under an exclusive lock; add a CHECK that is NOT VALID, and validate it later',
  },
  {
    is: /^ALTER TABLE (?:ONLY )?(\w+)\b.*\bADD COLUMN\b(?=[^,]*\b(?:clock_timestamp|random|gen_random_uuid|nextval)\()/i,
    onOldTablesOnly: true,
    why: 'a default that differs between rows rewrites the table',
  },
  {
    is: /^ALTER TABLE (?:ONLY )?(\w+)\b.*\bADD COLUMN\b(?=[^,]*\bNOT NULL\b)(?![^,]*\bDEFAULT\b)/i,
    onOldTablesOnly: true,
    why: 'the previous release inserts without the new column; give the column a default',
  },
  {
    is: /^ALTER TABLE (?:ONLY )?(\w+)\b.*\bADD (?:CONSTRAINT \w+ )?(?:FOREIGN KEY|CHECK)\b(?!.*\bNOT VALID\b)/i,
    onOldTablesOnly: true,
    why: 'add the constraint as NOT VALID, and validate it in another migration',
  },
  {
    is: /^ALTER TABLE (?:ONLY )?(\w+)\b.*\b(?:DROP COLUMN|RENAME)\b/i,
    onOldTablesOnly: true,
    why: 'the previous release still reads it',
  },
  {
    is: /^DROP (?:TABLE|VIEW|FUNCTION|SCHEMA|TYPE)\b/i,
    onOldTablesOnly: false,
    why: 'the previous release still uses it',
  },
  {
    is: /^(?:UPDATE|DELETE FROM) (\w+)\b/i,
    onOldTablesOnly: true,
    why: 'this locks all rows until it ends; let the worker do it in batches',
  },
  {
    is: /^(?:LOCK|VACUUM FULL|CLUSTER|REINDEX(?!.*CONCURRENTLY))\b/i,
    onOldTablesOnly: false,
    why: 'this blocks others from using the table',
  },
];

/** Statements without comments and function bodies, each with whether a comment allows it. */
export function statementsOf(text: string): { statement: string; isAllowed: boolean }[] {
  const withoutBodies = text.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''");
  return withoutBodies.split(';').flatMap((part) => {
    const statement = part.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
    return statement === '' ? [] : [{ statement, isAllowed: /^\s*-- allowed: \S/m.test(part) }];
  });
}

/** The statements of a file that would harm a running service. */
export function faultsOf(text: string): string[] {
  const statements = statementsOf(text);
  const made = new Set(
    statements.flatMap(({ statement }) => /^CREATE TABLE (\w+)/i.exec(statement)?.[1] ?? []),
  );
  const faults = statements.flatMap(({ statement, isAllowed }) =>
    rules.flatMap(({ is, onOldTablesOnly, why }) => {
      const found = is.exec(statement);
      if (found === null || isAllowed || (onOldTablesOnly && made.has(found[1] ?? ''))) return [];
      return [`${statement.slice(0, 80)}: ${why}`];
    }),
  );
  if (text.startsWith('-- outside a transaction') && statements.length !== 1)
    faults.push('a file outside a transaction must have exactly one statement');
  return faults;
}

if (import.meta.main) {
  const files = globSync('migrations/*.sql').filter((file) => file >= `migrations/${firstHeld}`);
  const faults = files.flatMap((file) =>
    faultsOf(readFileSync(file, 'utf8')).map((fault) => `${file}: ${fault}`),
  );
  for (const fault of faults) console.error(fault);
  console.log(`Checked ${files.length} migrations. ${faults.length} would harm a running service.`);
  process.exit(faults.length === 0 ? 0 : 1);
}
