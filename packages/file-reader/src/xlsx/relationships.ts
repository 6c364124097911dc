import { posix } from 'node:path';
import { BadFileError } from '../bad-file.ts';
import { readTags } from './xml.ts';
import type { Archive } from './zip.ts';

/** A link from one part of a package to another, or from the package itself. */
export interface Relationship {
  id: string;
  /**
   * The last part of its type: `worksheet`, `styles`. What precedes it differs between the transitional and
   * the strict form of the format. Empty if the file leaves the type out.
   */
  kind: string;
  /** Name of the archive entry that it leads to, which need not exist. */
  part: string;
}

/** More than an archive can name. */
const maxTargetChars = 65_535;

/** Reports the relationships of a part, or of the package for `''`, except those that leave the archive. */
export async function readRelationships(
  archive: Archive,
  source: string,
  signal: AbortSignal | undefined,
  onEach: (relationship: Relationship) => void,
): Promise<void> {
  const folder = posix.dirname(`/${source}`);
  const list = posix.join(folder, '_rels', `${posix.basename(source)}.rels`).slice(1);
  if (!archive.has(list)) return;
  await readTags(archive.read(list, signal), (name, attributes) => {
    const { Id: id = '', Type: type = '', Target: target, TargetMode: mode } = attributes;
    if (name !== 'Relationship' || target === undefined || mode === 'External') return;
    if (target.length > maxTargetChars) {
      throw new BadFileError(
        'malformed_file',
        `A relationship in ${list} leads to a name of more than ${maxTargetChars} characters`,
      );
    }
    onEach({
      id,
      kind: type.slice(type.lastIndexOf('/') + 1),
      part: posix.resolve(folder, target).slice(1),
    });
  });
}
