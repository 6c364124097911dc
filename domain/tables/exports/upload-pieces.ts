import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { OnPiece, Piece } from '../query/stream/contract.ts';

/** Uploads pieces as they come, to files `part_0`, `part_1` and so on of a folder. */
export interface PieceUpload {
  onPiece: OnPiece;
  /** Resolves when all files are whole. */
  end(): Promise<void>;
  /** Ends what is under way; resolves when nothing more is written. */
  abort(): Promise<void>;
}

interface Upload {
  source: PassThrough;
  uploaded: Promise<unknown>;
}

const bufferedBytes = 1_048_576;

export function uploadPieces(
  objects: ObjectStore,
  { folder, format }: { folder: string; format: string },
): PieceUpload {
  let count = 0;
  let current: Upload | undefined;

  function begin(): Upload {
    const source = new PassThrough({ highWaterMark: bufferedBytes });
    // Told by whoever writes or waits.
    source.on('error', () => undefined);
    const uploaded = objects.upload(`${folder}part_${count}.${format}`, source);
    uploaded.catch((error: Error) => source.destroy(error));
    count += 1;
    return { source, uploaded };
  }

  async function end(): Promise<void> {
    // An answer without rows may have no bytes at all.
    const { source, uploaded } = current ?? begin();
    source.end();
    await uploaded;
    current = undefined;
  }

  return {
    onPiece: async ({ bytes, endsFile = false }: Piece) => {
      current ??= begin();
      const { source, uploaded } = current;
      if (!source.write(bytes)) await Promise.race([once(source, 'drain'), uploaded]);
      if (endsFile) await end();
    },
    end,
    abort: async () => {
      current?.source.destroy(new Error('The export has ended.'));
      await current?.uploaded.catch(() => undefined);
    },
  };
}
