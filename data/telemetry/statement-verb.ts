const verbs = new Set(
  `ALTER ANALYZE ATTACH BEGIN CALL CHECKPOINT COMMIT COPY CREATE DELETE DESCRIBE DETACH DROP EXPLAIN FROM INSERT
  MERGE PIVOT ROLLBACK SELECT SET SHOW SUMMARIZE TRUNCATE UNPIVOT UPDATE USE VALUES WITH`.split(/\s+/),
);

/** The first word of a statement, if the engine knows it: never anything of its text. */
export function verbOf(sql: string): string {
  const [, word = ''] = /^[\s(]*([a-z]+)/i.exec(sql.slice(0, 100)) ?? [];
  const verb = word.toUpperCase();
  return verbs.has(verb) ? verb : 'OTHER';
}
