import type { ReaderDeps, ReadOptions, SourceFile } from '../contract.ts';
import { openJson } from '../json/source.ts';
import { openXlsx } from '../xlsx/source.ts';
import { openCsv } from './csv.ts';
import type { TextSource } from './source.ts';

/** Opens a file of any format with text values, that is, all except Parquet. */
export async function openText(
  deps: ReaderDeps,
  source: SourceFile,
  options: ReadOptions,
): Promise<TextSource> {
  const csv = options.csv ?? {};
  if (source.format === 'csv') return openCsv(deps, source, csv);
  if (source.format === 'xlsx') return openXlsx(deps, source, csv, options.xlsx ?? {});
  return openJson(deps, source, options);
}
