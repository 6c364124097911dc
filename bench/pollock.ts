/**
 * How well polluted CSV files are read by detection alone, scored like the Pollock benchmark (VLDB 2023).
 *
 *   node bench/pollock.ts FOLDER          (has csv/, clean/ and, for the weighted mean, weights.json)
 *
 * Every column is read as text and nothing as null. A record that is refused with a reason is omitted, and
 * lowers the score only by itself.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { BadFileError, localStore, openReader, type SourceFile } from '../packages/file-reader/index.ts';

interface Table {
  header: string[];
  records: string[][];
}

/** The only file of the benchmark whose clean form starts with a record instead of names. */
const withoutNames = 'file_no_header.csv';
const wholeFile = { pageNumber: 1, pageSize: Number.MAX_SAFE_INTEGER };
const shownFiles = 25;

async function main(folder: string | undefined): Promise<void> {
  if (folder === undefined || !existsSync(join(folder, 'csv')) || !existsSync(join(folder, 'clean'))) {
    console.error(
      'Give the folder of the benchmark, which has csv/ and clean/: node bench/pollock.ts FOLDER',
    );
    process.exitCode = 2;
    return;
  }
  const weightsFile = join(folder, 'weights.json');
  const weights: Record<string, number> = existsSync(weightsFile)
    ? JSON.parse(await readFile(weightsFile, 'utf8'))
    : {};
  const workDir = await mkdtemp(join(tmpdir(), 'pollock-'));
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  try {
    const scores: FileScore[] = [];
    for (const name of (await readdir(join(folder, 'csv'))).sort()) {
      const read = await readDetected(connection, workDir, join(folder, 'csv', name));
      const clean = splitClean(await readFile(join(folder, 'clean', name), 'utf8'), name !== withoutNames);
      scores.push({ name, weight: weights[name] ?? 0, ...scoreOf(read, clean) });
    }
    print(scores);
  } finally {
    connection.closeSync();
    await rm(workDir, { recursive: true, force: true });
  }
}

/** The file as imported with `on_bad_row: quarantine`; the reason if the whole file is refused. */
async function readDetected(
  connection: DuckDBConnection,
  workDir: string,
  path: string,
): Promise<Table | string> {
  const { preview } = await openReader({
    engine: { scratch: (work) => work(connection) },
    store: localStore(dirname(path)),
    workDir,
  });
  const { size: sizeBytes } = await stat(path);
  const source: SourceFile = { key: basename(path), sizeBytes, format: 'csv' };
  const options = { includeLoadDate: false, csv: { nullValues: [] } };
  try {
    const { columns, detectedCsv } = await preview(source, options, wholeFile);
    const columnMappings = columns.map(({ sourceName, targetName }) => ({
      sourceColumnName: sourceName,
      targetColumnName: targetName,
      dataType: 'STRING',
      unique: false,
      nullable: true,
      required: true,
    }));
    const { rows } = await preview(source, { ...options, columnMappings }, wholeFile);
    const header = detectedCsv?.headerRow === 0 ? [] : columns.map(({ sourceName }) => sourceName);
    return { header, records: rows.map((row) => row.map((value) => String(value ?? ''))) };
  } catch (error) {
    if (error instanceof BadFileError) return error.message;
    throw error;
  }
}

/** A clean file quotes every value and doubles quotes inside; its lines end with a line feed. */
function splitClean(text: string, hasHeader: boolean): Table {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, value = '', end] of text.matchAll(/"((?:[^"]|"")*)"(,|\r?\n|$)/g)) {
    row.push(value.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return hasHeader ? { header: rows[0] ?? [], records: rows.slice(1) } : { header: [], records: rows };
}

interface FileScore {
  name: string;
  weight: number;
  /** At most ten: one for being read, three each for the header, the records and the cells. */
  score: number;
  header: number;
  records: number;
  cells: number;
  refused: string | undefined;
}

function scoreOf(read: Table | string, clean: Table): Omit<FileScore, 'name' | 'weight'> {
  if (typeof read === 'string') return { score: 0, header: 0, records: 0, cells: 0, refused: read };
  const trimmed = ({ header, records }: Table) => ({
    header: header.map((name) => name.trim()),
    records: records.map((record) => JSON.stringify(record.map((value) => value.trim()))),
    cells: records.flat().map((value) => value.trim()),
  });
  const [found, wanted] = [trimmed(read), trimmed(clean)];
  const header = agreement(found.header, wanted.header);
  const records = agreement(found.records, wanted.records);
  const cells = agreement(found.cells, wanted.cells);
  return { score: 1 + header + records + cells, header, records, cells, refused: undefined };
}

/** The sum of precision, recall and F1 of two multisets: at most three. */
function agreement(found: readonly string[], wanted: readonly string[]): number {
  if (wanted.length === 0 && found.length === 0) return 3;
  const left = new Map<string, number>();
  for (const text of wanted) left.set(text, (left.get(text) ?? 0) + 1);
  let common = 0;
  for (const text of found) {
    const count = left.get(text) ?? 0;
    if (count === 0) continue;
    left.set(text, count - 1);
    common += 1;
  }
  if (common === 0) return 0;
  const precision = common / found.length;
  const recall = common / wanted.length;
  return precision + recall + (2 * precision * recall) / (precision + recall);
}

const kindOf = (name: string): string =>
  name
    .replace(/\.csv$/, '')
    .replace(/^(row_[a-z_]+?)_?(?:row)?(\d+)_.*$/, (_, kind, row) =>
      row === '0' ? `${kind} (the header)` : kind,
    );

function print(scores: readonly FileScore[]): void {
  const kinds = Map.groupBy(scores, ({ name }) => kindOf(name));
  const shares = [...kinds].map(([kind, files]) => ({
    kind,
    files: files.length,
    score: mean(files, () => 1).toFixed(3),
    costSimple: (lost(files, () => 1) / scores.length).toFixed(4),
    costWeighted: (lost(files, weightOf) / sum(scores, weightOf)).toFixed(4),
  }));
  console.table(shares.sort((a, b) => Number(b.costWeighted) - Number(a.costWeighted)));
  const worst = scores.filter(({ score }) => score < 9.9).sort((a, b) => a.score - b.score);
  console.log(`${worst.length} files under 9.9; the worst:`);
  for (const { name, score, header, records, cells, refused } of worst.slice(0, shownFiles)) {
    const parts = [header, records, cells].map((part) => part.toFixed(2)).join(' + ');
    console.log(`  ${name}: ${score.toFixed(2)} = ${refused === undefined ? `1 + ${parts}` : refused}`);
  }
  const weighted = sum(scores, weightOf) === 0 ? 'no weights' : mean(scores, weightOf).toFixed(3);
  console.log(`${scores.length} files: simple ${mean(scores, () => 1).toFixed(3)}, weighted ${weighted}`);
}

type Weight = (file: FileScore) => number;
const weightOf: Weight = ({ weight }) => weight;
const sum = (files: readonly FileScore[], of: Weight): number =>
  files.reduce((all, file) => all + of(file), 0);
const mean = (files: readonly FileScore[], weight: Weight): number =>
  sum(files, (file) => file.score * weight(file)) / sum(files, weight);
const lost = (files: readonly FileScore[], weight: Weight): number =>
  sum(files, (file) => (10 - file.score) * weight(file));

await main(process.argv[2]);
