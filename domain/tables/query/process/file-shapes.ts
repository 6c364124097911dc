import type { DuckDBConnection } from '@duckdb/node-api';
import type { PlainColumn, PlainFiles } from '../../../../data/lake/ducklake/table-layout.ts';
import { identifier, literal } from '../../../../data/lake/sql.ts';

interface FileColumn {
  name: string;
  /** DuckDB's name of the type. */
  type: string;
  fieldId: number | undefined;
}

/** The columns of files, by URL; null of a file with nested columns. Files never change. */
export type FileShapes = Map<string, FileColumn[] | null>;

const mostKnown = 2_000;

/** Reads the footers of files whose columns are not known yet. */
export async function learnShapes(
  connection: DuckDBConnection,
  shapes: FileShapes,
  urls: readonly string[],
): Promise<void> {
  const unknown = urls.filter((url) => !shapes.has(url));
  if (unknown.length === 0) return;
  if (shapes.size + unknown.length > mostKnown) shapes.clear();
  const reader = await connection.runAndReadAll(
    `SELECT file_name, name, duckdb_type, field_id, coalesce(num_children, 0) FROM parquet_schema([${unknown.map(literal).join(', ')}])
     WHERE column_id > 0 ORDER BY file_name, column_id`,
  );
  const found: FileShapes = new Map();
  for (const [url, name, type, fieldId, children] of reader.getRows()) {
    const columns = found.get(String(url)) ?? (found.has(String(url)) ? null : []);
    const column = {
      name: String(name),
      type: String(type),
      fieldId: fieldId === null ? undefined : Number(fieldId),
    };
    found.set(String(url), columns === null || Number(children) > 0 ? null : [...columns, column]);
  }
  for (const url of unknown) shapes.set(url, found.get(url) ?? null);
}

/**
 * Files of a group that all have the same columns, with how those are selected: as they are, which the engine
 * reads in half the time of columns that it has to map. `selected` is undefined where it has to.
 */
export function alikeFiles(
  shapes: FileShapes,
  { urls, sources }: PlainFiles,
  columns: readonly PlainColumn[],
): { urls: string[]; selected: string[] | undefined }[] {
  const groups = new Map<string, string[]>();
  for (const url of urls) {
    const signature = JSON.stringify(shapes.get(url));
    groups.set(signature, [...(groups.get(signature) ?? []), url]);
  }
  return [...groups.values()].map((alike) => ({
    urls: alike,
    selected: selectedFrom(shapes.get(alike[0]!) ?? undefined, sources, columns),
  }));
}

/** Undefined if a column has another type in the files, or cannot be found for certain. */
function selectedFrom(
  shape: readonly FileColumn[] | undefined,
  sources: PlainFiles['sources'],
  columns: readonly PlainColumn[],
): string[] | undefined {
  if (shape === undefined) return undefined;
  const byName = new Map(shape.map((column) => [column.name.toLowerCase(), column]));
  const byId = new Map(shape.map((column) => [column.fieldId, column]));
  if (byName.size < shape.length) return undefined;
  const selected: string[] = [];
  for (const [index, { name, type }] of columns.entries()) {
    const source = sources[index] ?? null;
    const found = typeof source === 'string' ? byName.get(source.toLowerCase()) : byId.get(source ?? -1);
    if (found === undefined) selected.push(`CAST(NULL AS ${type}) AS ${identifier(name)}`);
    else if (found.type.replaceAll(' ', '') !== type.replaceAll(' ', '')) return undefined;
    else selected.push(`${identifier(found.name)} AS ${identifier(name)}`);
  }
  return selected;
}
