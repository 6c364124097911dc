import { IcebergFault, readAvroFile } from './read-avro.ts';

/** A manifest as an engine's list of manifests names it. */
export interface ListedManifest {
  url: string;
  content: 'data' | 'deletes';
  addedBy: bigint;
}

/** What an engine did to one file. */
export interface FileChange {
  content: 'data' | 'positions' | 'equality';
  status: 'existing' | 'added' | 'deleted';
  url: string;
  format: string;
  rows: number;
}

/** @throws IcebergFault */
export function readManifestList(bytes: Buffer): ListedManifest[] {
  return readAvroFile(bytes).map((row) => {
    const { manifest_path: url, content = 0, added_snapshot_id: addedBy } = row as Record<string, unknown>;
    if (typeof url !== 'string' || typeof addedBy !== 'bigint')
      throw new IcebergFault("It isn't a list of manifests.");
    return { url, content: content === 1 ? 'deletes' : 'data', addedBy };
  });
}

const statuses = ['existing', 'added', 'deleted'] as const;
const contents = ['data', 'positions', 'equality'] as const;

/**
 * The changes that a snapshot made, by one of its manifests.
 *
 * @throws IcebergFault
 */
export function readManifest(bytes: Buffer, snapshot: bigint): FileChange[] {
  const changes: FileChange[] = [];
  for (const row of readAvroFile(bytes)) {
    const { status, snapshot_id: by, data_file: file } = row as Record<string, unknown>;
    const {
      content = 0,
      file_path: url,
      file_format: format,
      record_count: rows,
    } = (file ?? {}) as Record<string, unknown>;
    const what = statuses[status as number];
    const kind = contents[content as number];
    if (what === undefined || kind === undefined || typeof url !== 'string' || typeof rows !== 'bigint')
      throw new IcebergFault("It isn't a manifest.");
    // What an earlier snapshot did stays in manifests that are carried over.
    if (what === 'existing' || (by != null && by !== snapshot)) continue;
    changes.push({
      content: kind,
      status: what,
      url,
      format: String(format).toUpperCase(),
      rows: Number(rows),
    });
  }
  return changes;
}
