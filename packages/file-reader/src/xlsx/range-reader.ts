import { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';
import type { FileStore, SourceFile } from '../contract.ts';

/** Bytes fetched ahead, since an archive's directory is read in many small sequential reads. */
const aheadBytes = 64 * 1024;

/** Adapter of a stored file for the archive library: ranges, each one request. */
export class RangeReader extends RandomAccessReader {
  /** Failure of the store, which is not the file's fault and may be transient. */
  storeFailure: unknown;
  readonly #store: FileStore;
  readonly #source: SourceFile;
  #window = { from: 0, bytes: Buffer.alloc(0) };

  constructor(store: FileStore, source: SourceFile) {
    super();
    this.#store = store;
    this.#source = source;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#range(start, end), { objectMode: false });
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#bytesAt(position, length).then(
      (bytes) => {
        bytes.copy(target, offset);
        callback(null);
      },
      (error: Error) => callback(error),
    );
  }

  async #bytesAt(position: number, length: number): Promise<Buffer> {
    const { sizeBytes } = this.#source;
    const at = position - this.#window.from;
    if (at >= 0 && at + length <= this.#window.bytes.length)
      return this.#window.bytes.subarray(at, at + length);
    const parts: Buffer[] = [];
    const end = Math.max(position + length, Math.min(position + aheadBytes, sizeBytes));
    for await (const part of this.#range(position, end)) parts.push(part);
    this.#window = { from: position, bytes: Buffer.concat(parts) };
    if (this.#window.bytes.length < length) throw new Error('The store returned fewer bytes than requested');
    return this.#window.bytes.subarray(0, length);
  }

  /** Bytes `start` to before `end`. A file may contain any range, so only existing bytes are requested. */
  async *#range(start: number, end: number): AsyncGenerator<Buffer> {
    if (!(start >= 0 && start < end && end <= this.#source.sizeBytes))
      throw new RangeError("The archive refers to bytes that the file doesn't have");
    try {
      yield* (await this.#store.read(this.#source.key, {
        from: start,
        to: end - 1,
      })) as AsyncIterable<Buffer>;
    } catch (error) {
      this.storeFailure = error;
      throw error;
    }
  }
}
