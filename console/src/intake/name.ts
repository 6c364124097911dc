const endings = /\.(?:csv|tsv|txt|parquet|json|ndjson|jsonl|xlsx|gz|zst)$/i;

/** The name of a table for a file: `2026 Orders.csv.gz` becomes `2026_orders`. */
export function tableNameOf(path: string): string {
  let name = path.slice(path.lastIndexOf('/') + 1);
  while (endings.test(name)) name = name.replace(endings, '');
  const plain = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '');
  return plain === '' ? 'imported' : plain;
}

/** Where an uploaded file is kept. Two people may bring in files of one name at once. */
export const uploadPathOf = (file: File): string =>
  `imports/${new Date().toISOString().slice(0, 10)} ${crypto.randomUUID().slice(0, 8)}/${file.name}`;
