import { violation } from './fault.ts';

/** Reads the fields of a message one after the other, and never beyond its end. */
export class Fields {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  byte(): number {
    return this.#body[this.#advance(1)]!;
  }

  int16(): number {
    return this.#body.readInt16BE(this.#advance(2));
  }

  int32(): number {
    return this.#body.readInt32BE(this.#advance(4));
  }

  /** A text that ends with a zero byte. */
  text(): string {
    const end = this.#body.indexOf(0, this.#at);
    if (end === -1) throw violation('A text in a message has no end.');
    const text = this.#body.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  bytes(count: number): Buffer {
    const from = this.#advance(count);
    return this.#body.subarray(from, from + count);
  }

  /** As many of something as a number before them says. */
  list<T>(read: () => T): T[] {
    const count = this.int16() & 0xffff;
    const items: T[] = [];
    // One by one: memory is taken only for what is there.
    for (let at = 0; at < count; at += 1) items.push(read());
    return items;
  }

  get left(): number {
    return this.#body.length - this.#at;
  }

  end(): void {
    if (this.left > 0) throw violation('A message has more fields than its kind allows.');
  }

  #advance(count: number): number {
    const from = this.#at;
    if (count < 0 || from + count > this.#body.length) throw violation('A message ends within a field.');
    this.#at += count;
    return from;
  }
}
