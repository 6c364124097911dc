/** A table as `list_tables` shows it. */
export interface ListedTable {
  name: string;
  columns: readonly { name: string; dataType: string }[];
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * The joins of a `find_joins` tool: a column and a unique column of another table in which nine tenths of its
 * values occur, both texts, or whole numbers whose names are alike.
 */
export async function foundJoins(
  tables: readonly ListedTable[],
  rows: (sql: string) => Promise<unknown[][]>,
) {
  const all = tables.flatMap(({ name: table, columns }) =>
    columns
      .filter(({ dataType }) => dataType === 'STRING' || dataType === 'INTEGER')
      .map(({ name, dataType }) => ({ table, name, dataType })),
  );
  const joins: Record<string, unknown>[] = [];
  for (const to of all) {
    const [key, keys] = [quoted(to.name), quoted(to.table)];
    const [unique] = await rows(`SELECT count(*) > 1 AND count(DISTINCT ${key}) = count(*) FROM ${keys}`);
    if (unique?.[0] !== true) continue;
    for (const from of all) {
      const isAlike =
        from.name === to.name ? to.name !== 'id' : from.name.includes(to.table.replace(/s$/, ''));
      if (from.table === to.table || from.dataType !== to.dataType) continue;
      if (from.dataType === 'INTEGER' && !isAlike) continue;
      const [column, table] = [quoted(from.name), quoted(from.table)];
      const values = `SELECT DISTINCT ${column} AS v FROM ${table} WHERE ${column} IS NOT NULL`;
      const [counts] = await rows(
        `SELECT count(*), count(k.v) FROM (${values}) AS a LEFT JOIN (SELECT ${key} AS v FROM ${keys}) AS k ON a.v = k.v`,
      );
      const [count, found] = [Number(counts?.[0]), Number(counts?.[1])];
      if (found < 2 || found < count * 0.9) continue;
      joins.push({
        table: from.table,
        column: from.name,
        otherTable: to.table,
        otherColumn: to.name,
        values: count,
        valuesFound: found,
      });
    }
  }
  return joins;
}
