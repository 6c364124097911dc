import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { Piece } from '../../../packages/row-formats/index.ts';
import type { OnPiece } from '../query/stream/contract.ts';
import { mostFiles, tooManyFiles, type WrittenPart } from './parts.ts';

/** Uploads pieces as they come, to files `part_0`, `part_1` and so on of a folder. */
export interface PieceUpload {
  onPiece: OnPiece;
  /** Resolves when all files are whole, with what they are. */
  end(): Promise<WrittenPart[]>;
  /** Ends what is under way; resolves when nothing more is written. */
  abort(): Promise<void>;
}

interface Upload {
  key: string;
  source: PassThrough;
  hash: Hash;
  uploaded: Promise<number>;
}

const bufferedBytes = 1_048_576;

export function uploadPieces(
  objects: ObjectStore,
  { folder, format }: { folder: string; format: string },
): PieceUpload {
  const parts: WrittenPart[] = [];
  let current: Upload | undefined;

  function begin(): Upload {
    if (parts.length >= mostFiles) throw tooManyFiles();
    const source = new PassThrough({ highWaterMark: bufferedBytes });
    // Reported by the next write or wait.
    source.on('error', () => undefined);
    const key = `part_${parts.length}.${format}`;
    const uploaded = objects.upload(folder + key, source);
    uploaded.catch((error: Error) => source.destroy(error));
    return { key, source, hash: createHash('sha256'), uploaded };
  }

  async function endFile({ key, source, hash, uploaded }: Upload): Promise<void> {
    source.end();
    parts.push({ key, sizeBytes: await uploaded, sha256: hash.digest('hex') });
    current = undefined;
  }

  return {
    onPiece: async ({ bytes, endsFile = false }: Piece) => {
      current ??= begin();
      const { source, hash, uploaded } = current;
      hash.update(bytes);
      if (!source.write(bytes)) await Promise.race([once(source, 'drain'), uploaded]);
      if (endsFile) await endFile(current);
    },
    end: async () => {
      // An answer without rows may have no bytes at all.
      if (current !== undefined || parts.length === 0) await endFile(current ?? begin());
      return parts;
    },
    abort: async () => {
      current?.source.destroy(new Error('The export has ended.'));
      await current?.uploaded.catch(() => undefined);
    },
  };
}
