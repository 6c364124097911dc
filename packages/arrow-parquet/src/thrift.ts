/** Writes structs in Thrift's compact protocol, as Parquet has them. */
export class ThriftWriter {
  readonly #bytes: number[] = [];
  #last = 0;
  readonly #outer: number[] = [];

  finish(): Buffer {
    return Buffer.from(this.#bytes);
  }

  begin(): void {
    this.#outer.push(this.#last);
    this.#last = 0;
  }

  end(): void {
    this.#bytes.push(0);
    this.#last = this.#outer.pop() ?? 0;
  }

  /** A struct as the value of a field. */
  struct(id: number, write: () => void): void {
    this.#header(id, 12);
    this.begin();
    write();
    this.end();
  }

  int32(id: number, value: number): void {
    this.#header(id, 5);
    this.#zigzag(value);
  }

  int64(id: number, value: number): void {
    this.#header(id, 6);
    this.#zigzag(value);
  }

  boolean(id: number, value: boolean): void {
    this.#header(id, value ? 1 : 2);
  }

  text(id: number, value: string): void {
    this.#header(id, 8);
    this.#text(value);
  }

  list<T>(
    id: number,
    type: 'int32' | 'text' | 'struct',
    items: readonly T[],
    write: (item: T) => void,
  ): void {
    this.#header(id, 9);
    const element = { int32: 5, text: 8, struct: 12 }[type];
    if (items.length < 15) this.#bytes.push((items.length << 4) | element);
    else {
      this.#bytes.push(0xf0 | element);
      this.#varint(items.length);
    }
    for (const item of items) {
      if (type === 'int32') this.#zigzag(item as number);
      else if (type === 'text') this.#text(item as string);
      else {
        this.begin();
        write(item);
        this.end();
      }
    }
  }

  #header(id: number, type: number): void {
    this.#bytes.push(((id - this.#last) << 4) | type);
    this.#last = id;
  }

  #text(value: string): void {
    const bytes = Buffer.from(value);
    this.#varint(bytes.length);
    for (const byte of bytes) this.#bytes.push(byte);
  }

  #zigzag(value: number): void {
    this.#varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  #varint(value: number): void {
    let left = value;
    while (left >= 0x80) {
      this.#bytes.push((left % 0x80) | 0x80);
      left = Math.floor(left / 0x80);
    }
    this.#bytes.push(left);
  }
}
