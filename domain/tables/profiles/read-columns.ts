import { endReading } from '../../../data/lake/ducklake/alive.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { decidedType, type LakeColumn } from '../tables/columns.ts';
import type { Bins } from './axis.ts';
import type { ColumnProfile, Shown } from './column-profile.ts';
import { rulesOf } from './column-rules.ts';
import { binsStatement, candidates, figuresStatement, type Rows, topStatement } from './statements.ts';

/** What columns of some rows hold. Of a sample, the counts are those of the sample. */
export interface ReadColumns {
  rowCount: number;
  columns: ColumnProfile[];
}

type Figures = Record<string, Shown | Record<string, number> | null>;

/** Reads some columns in one transaction, all over one connection to the catalog. */
export async function readColumns(
  connection: EngineConnection,
  rows: Rows,
  columns: readonly LakeColumn[],
): Promise<ReadColumns> {
  await connection.run('BEGIN');
  const read = await inTransaction(connection, rows, columns);
  await endReading(connection);
  return read;
}

async function inTransaction(
  connection: EngineConnection,
  rows: Rows,
  columns: readonly LakeColumn[],
): Promise<ReadColumns> {
  const rules = columns.map(rulesOf);
  const [row] = await connection.readTexts(figuresStatement(rows, rules));
  const rowCount = Number(row!.first);
  const figures = JSON.parse(row!.text) as Figures;
  const binned = rules.flatMap(({ axis }, n) => {
    const [least, greatest] = [figures[`least_${n}`], figures[`greatest_${n}`]];
    if (axis === undefined || typeof least !== 'string' || typeof greatest !== 'string') return [];
    return [{ n, position: axis.position, bins: axis.bins(least, greatest) }];
  });
  const [counted] = binned.length === 0 ? [] : await connection.readTexts(binsStatement(rows, binned));
  const counts = (counted === undefined ? {} : JSON.parse(counted.text)) as Figures;
  const profiles: ColumnProfile[] = [];
  for (const [n, column] of columns.entries()) {
    const of = (figure: string) => figures[`${figure}_${n}`];
    const notNull = Number(of('count'));
    const most = notNull === 0 ? [] : await connection.readTexts(topStatement(rows, rules[n]!));
    const top = most.map(({ first, text }) => ({
      ...(JSON.parse(text) as { value: Shown; candidates: number }),
      count: Number(first),
    }));
    const found = top[0]?.candidates ?? 0;
    const hasAll = found < candidates && of('cut') === false;
    const [min, max] = [shownOrNull(of('min')), shownOrNull(of('max'))];
    const bins = binned.find((bin) => bin.n === n)?.bins;
    const mean = of('mean');
    profiles.push({
      name: column.name,
      dataType: decidedType(column),
      nulls: rowCount - notNull,
      distinctApprox: hasAll ? found : Math.min(Number(of('distinct')), notNull),
      min,
      max,
      mean: typeof mean === 'number' ? mean : null,
      top: top.map(({ value, count }) => ({ value, count })),
      histogram: bins === undefined ? [] : histogramOf(bins, counts[`bins_${n}`], min!, max!),
    });
  }
  return { rowCount, columns: profiles };
}

const shownOrNull = (value: Figures[string] | undefined): Shown | null =>
  value === undefined || typeof value === 'object' ? null : value;

/** The outermost ends are the least and the greatest value, which may be finer than their positions. */
function histogramOf(
  { edges }: Bins,
  counts: Figures[string] | undefined,
  min: Shown,
  max: Shown,
): ColumnProfile['histogram'] {
  const byBin = (counts ?? {}) as Record<string, number>;
  const ends = [min, ...edges.slice(1, -1), max];
  return ends.slice(1).map((to, bin) => ({ from: ends[bin]!, to, count: Number(byBin[bin] ?? 0) }));
}
