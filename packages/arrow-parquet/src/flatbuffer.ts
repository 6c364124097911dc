import { damaged } from './fault.ts';

/**
 * Tables of a FlatBuffer. Positions outside of it throw a RangeError of the view; nothing is read ahead, so
 * that tables that contain each other take no time.
 */
export class FlatTable {
  readonly #view: DataView;
  readonly #at: number;

  constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
  }

  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true));
  }

  /** The position of a field's value; undefined if it has its default. */
  #field(slot: number): number | undefined {
    const vtable = this.#at - this.#view.getInt32(this.#at, true);
    const size = this.#view.getUint16(vtable, true);
    const entry = 4 + 2 * slot;
    if (entry + 2 > size) return undefined;
    const offset = this.#view.getUint16(vtable + entry, true);
    return offset === 0 ? undefined : this.#at + offset;
  }

  int8(slot: number, usual = 0): number {
    const at = this.#field(slot);
    return at === undefined ? usual : this.#view.getInt8(at);
  }

  int16(slot: number, usual = 0): number {
    const at = this.#field(slot);
    return at === undefined ? usual : this.#view.getInt16(at, true);
  }

  int32(slot: number, usual = 0): number {
    const at = this.#field(slot);
    return at === undefined ? usual : this.#view.getInt32(at, true);
  }

  /** A count or an offset: not negative, and no larger than a number holds. */
  size(slot: number): number {
    const at = this.#field(slot);
    return at === undefined ? 0 : sizeAt(this.#view, at);
  }

  id(slot: number): bigint {
    const at = this.#field(slot);
    return at === undefined ? 0n : this.#view.getBigInt64(at, true);
  }

  table(slot: number): FlatTable | undefined {
    const at = this.#field(slot);
    return at === undefined ? undefined : new FlatTable(this.#view, at + this.#view.getUint32(at, true));
  }

  text(slot: number): string | undefined {
    const vector = this.#vector(slot);
    if (vector === undefined) return undefined;
    const { byteOffset, buffer } = this.#view;
    if (vector.at + vector.length > this.#view.byteLength) throw damaged();
    return Buffer.from(buffer, byteOffset + vector.at, vector.length).toString('utf8');
  }

  length(slot: number): number {
    return this.#vector(slot)?.length ?? 0;
  }

  tableOf(slot: number, index: number): FlatTable {
    const at = this.#vector(slot)!.at + index * 4;
    return new FlatTable(this.#view, at + this.#view.getUint32(at, true));
  }

  /** Numbers of 64 bits that follow each other, such as structs of two. */
  sizes(slot: number, each: number): number[] {
    const vector = this.#vector(slot);
    if (vector === undefined) return [];
    if (vector.at + vector.length * each * 8 > this.#view.byteLength) throw damaged();
    return Array.from({ length: vector.length * each }, (_, index) =>
      sizeAt(this.#view, vector.at + index * 8),
    );
  }

  #vector(slot: number): { at: number; length: number } | undefined {
    const field = this.#field(slot);
    if (field === undefined) return undefined;
    const at = field + this.#view.getUint32(field, true);
    return { at: at + 4, length: this.#view.getUint32(at, true) };
  }
}

function sizeAt(view: DataView, at: number): number {
  const value = view.getBigInt64(at, true);
  if (value < 0n || value > 0xff_ffff_ffffn) throw damaged();
  return Number(value);
}
