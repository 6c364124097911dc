import { Message, RecordBatchFileWriter, RecordBatchStreamWriter, type Schema } from 'apache-arrow';

/** What was written since it was last taken, instead of queueing it for a reader. */
class Written {
  #chunks: Uint8Array[] = [];

  /** Gives the number of bytes. */
  add({ buffer, byteOffset, byteLength }: ArrayBufferView): number {
    if (byteLength > 0) this.#chunks.push(new Uint8Array(buffer, byteOffset, byteLength));
    return byteLength;
  }

  /** The columns' own memory, for a part. */
  take(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }
}

export class CollectingStreamWriter extends RecordBatchStreamWriter {
  readonly written = new Written();

  protected override _write(chunk: ArrayBufferView): this {
    this.written.add(chunk);
    return this;
  }
}

export class CollectingFileWriter extends RecordBatchFileWriter {
  readonly written = new Written();

  protected override _write(chunk: ArrayBufferView): this {
    this._position += this.written.add(chunk);
    return this;
  }

  /** The library writes it into the index only; those who read from front to end need it first. */
  protected override _writeSchema(schema: Schema): this {
    return super._writeSchema(schema)._writeMessage(Message.from(schema));
  }
}
