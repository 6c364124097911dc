import type { FileFormat } from './contract.ts';

const formats: Record<string, FileFormat> = {
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  txt: 'csv',
  parquet: 'parquet',
  pq: 'parquet',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  xlsx: 'xlsx',
};

const compressedEndings = /\.(gz|gzip|zst|zstd)$/i;

/** The format according to a file's extension, or the one before that of a compressed file; or undefined. */
export function formatOf(path: string): FileFormat | undefined {
  const extension = /\.([^./]+)$/.exec(path.replace(compressedEndings, ''))?.[1];
  return extension === undefined ? undefined : formats[extension.toLowerCase()];
}
