/** An append-only byte buffer that grows. */
export class ByteWriter {
  buffer: Buffer;
  length = 0;

  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafe(capacity);
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }

  byte(value: number): void {
    if (this.length === this.buffer.length) this.reserve(1);
    this.buffer[this.length++] = value;
  }

  /** Short runs are copied in a loop, because a call into the runtime costs more. */
  copy(from: Uint8Array, start: number, end: number): void {
    const bytes = end - start;
    if (this.length + bytes > this.buffer.length) this.reserve(bytes);
    if (bytes > 96) {
      this.buffer.set(from.subarray(start, end), this.length);
      this.length += bytes;
      return;
    }
    const { buffer } = this;
    let to = this.length;
    for (let index = start; index < end; index += 1) buffer[to++] = from[index]!;
    this.length = to;
  }

  text(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.buffer.write(text, this.length);
  }

  written(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}
