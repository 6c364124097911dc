import type { ImportDeps, ImportOptions, ImportSource } from '../contract.ts';
import { openCsv } from './csv.ts';
import type { TextSource } from './source.ts';

export async function openText(
  deps: ImportDeps,
  source: ImportSource,
  options: ImportOptions,
): Promise<TextSource> {
  return openCsv(deps, source, options.csv ?? {});
}
