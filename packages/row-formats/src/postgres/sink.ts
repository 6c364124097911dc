/** Memory that grows as bytes are written to it, all in network order. */
export class Sink {
  #memory = Buffer.allocUnsafe(160 * 1_024);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  /** What was written; it is valid until more is. */
  take(): Buffer {
    const taken = this.#memory.subarray(0, this.#at);
    this.#at = 0;
    return taken;
  }

  byte(value: number): void {
    this.#room(1);
    this.#memory[this.#at] = value;
    this.#at += 1;
  }

  int16(value: number): void {
    this.#room(2);
    this.#at = this.#memory.writeInt16BE(value, this.#at);
  }

  int32(value: number): void {
    this.#room(4);
    this.#at = this.#memory.writeInt32BE(value | 0, this.#at);
  }

  int64(value: bigint): void {
    this.#room(8);
    this.#at = this.#memory.writeBigInt64BE(value, this.#at);
  }

  float4(value: number): void {
    this.#room(4);
    this.#at = this.#memory.writeFloatBE(value, this.#at);
  }

  float8(value: number): void {
    this.#room(8);
    this.#at = this.#memory.writeDoubleBE(value, this.#at);
  }

  text(value: string): void {
    this.#room(value.length * 3);
    this.#at += this.#memory.write(value, this.#at);
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length);
    this.#memory.set(value, this.#at);
    this.#at += value.length;
  }

  /** Writes something after its own length, which counts the four bytes of the length if it says so. */
  counted(write: () => void, countsItself = false): void {
    this.int32(0);
    const from = this.#at;
    write();
    this.#memory.writeInt32BE(this.#at - from + (countsItself ? 4 : 0), from - 4);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#memory.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#memory.length * 2, this.#at + bytes));
    larger.set(this.#memory.subarray(0, this.#at));
    this.#memory = larger;
  }
}
