/** Types that the engine takes as we write them, and those that it calls otherwise. */
const words: Readonly<Record<string, string>> = { STRING: 'VARCHAR', INTEGER: 'BIGINT', NULL: 'VARCHAR' };
const known =
  /^(?:VARCHAR|BIGINT|DOUBLE|BOOLEAN|DATE|TIME|TIMETZ|TIMESTAMP|TIMESTAMPTZ|JSON|DECIMAL\(\d+,\d+\)|HUGEINT|UHUGEINT|UBIGINT|BLOB|UUID|INTERVAL|FLOAT|BIT|BIGNUM|TIMESTAMP_S|TIMESTAMP_MS|TIMESTAMP_NS)$/;
const nested = /^(?:STRUCT\(|MAP\(|UNION\(|ENUM\()|\[\d*\]$/;

/** The engine's name of one of our types, for a table that is never filled. Unknown types are texts in it. */
export function shadowType(dataType: string): string {
  const replaced = dataType.replace(
    /"(?:[^"]|"")*"|'(?:[^']|'')*'|\b(?:STRING|INTEGER|NULL)\b/g,
    (match) => words[match] ?? match,
  );
  if (known.test(replaced)) return replaced;
  return nested.test(replaced) ? replaced : 'VARCHAR';
}
