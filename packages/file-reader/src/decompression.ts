import { Duplex, type Transform } from 'node:stream';
import { createGunzip, createZstdDecompress, type ZstdDecompress } from 'node:zlib';

/** Streams that give what was compressed, by the name of the method. They fail where it is cut short. */
export const decompressors: Readonly<Record<'gzip' | 'zstd', (mostFrames: number) => Duplex>> = {
  gzip: (): Transform => createGunzip(),
  zstd: createZstdFrames,
};

/** Whether reading failed because the bytes are not what such a stream takes. */
export function isDecompressionFault(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(Z_|ZSTD_|ERR_ZSTD|ERR_ZLIB)/.test(code);
}

/**
 * Reads zstd of several frames. The stream of Node.js ends with a frame, and drops whatever follows it in the
 * same chunk; the rest is given to another one here.
 *
 * @param mostFrames each costs some time, however short
 */
function createZstdFrames(mostFrames: number): Duplex {
  let frames = 0;
  let frame: ZstdDecompress;
  const whole = new Duplex({
    read: () => void frame.resume(),
    write: (chunk: Buffer, _encoding, done) => feed(chunk, done),
    final: (done) => {
      frame.once('end', () => {
        whole.push(null);
        done();
      });
      frame.end();
    },
    destroy: (error, done) => {
      frame.destroy();
      done(error);
    },
  });
  function begin(): void {
    frames += 1;
    frame = createZstdDecompress();
    frame.on('data', (piece: Buffer) => {
      if (!whole.push(piece)) frame.pause();
    });
    frame.on('error', (error) => whole.destroy(error));
  }
  function feed(chunk: Buffer, done: () => void): void {
    const current = frame;
    const before = current.bytesWritten;
    const ended = () => {
      const rest = chunk.subarray(current.bytesWritten - before);
      current.destroy();
      if (frames >= mostFrames) return void whole.destroy(tooMany());
      begin();
      feed(rest, done);
    };
    current.once('end', ended);
    current.write(chunk, () => {
      // Otherwise the frame is over, and its end follows; or it has failed.
      if (current.bytesWritten - before < chunk.length) return;
      current.off('end', ended);
      done();
    });
  }
  begin();
  return whole;
}

const tooMany = () =>
  Object.assign(new Error('The compressed file has too many frames.'), { code: 'ZSTD_error_frames' });
