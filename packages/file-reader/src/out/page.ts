import type { DuckDBConnection } from '@duckdb/node-api';
import type { ReaderDeps } from '../contract.ts';
import type { PreviewJob } from '../job.ts';
import type { JsonValue } from '../json/exact.ts';
import type { TextTable } from '../text/table.ts';
import type { PageSpan } from '../text/window.ts';
import { alikeColumns } from '../values/alike.ts';
import type { PlannedColumn } from '../values/plan.ts';
import { goodRecords } from './faults.ts';
import { jsonRows } from './json-rows.ts';

/** The good records of a page as rows, in file order. */
export async function readPage(
  connection: DuckDBConnection,
  table: TextTable,
  plan: readonly PlannedColumn[],
  {
    deps,
    page,
    loadDateMicros,
  }: { deps: Pick<ReaderDeps, 'readRows'>; page: PageSpan } & Pick<PreviewJob, 'loadDateMicros'>,
): Promise<JsonValue[][]> {
  const groups = alikeColumns(table, plan);
  const texts = groups.map((group, index) => `, ${group.texts} AS l${index}`);
  const lists = groups.map((group, index) => `list_transform(l${index}, lambda v: ${group.value})`);
  const loadDate = loadDateMicros === undefined ? 'NULL' : `make_timestamp(${loadDateMicros})`;
  const found = await jsonRows(
    deps,
    connection,
    `SELECT ${[loadDate, ...lists].join(',\n')}
     FROM ${goodRecords(`(SELECT _at${texts.join('')} FROM ${table.from('skip')})`)}
     WHERE _at >= ${page.start} AND _at < ${page.end} ORDER BY _at`,
  );
  return found.map(([date = null, ...values]) => {
    const row = Array.from<JsonValue>({ length: plan.length }).fill(null);
    for (const [index, { positions }] of groups.entries()) {
      const list = values[index] as JsonValue[];
      for (const [place, position] of positions.entries()) row[position] = list[place]!;
    }
    return loadDateMicros === undefined ? row : [...row, date];
  });
}
