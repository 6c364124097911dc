import { createHash } from 'node:crypto';
import { byCodeUnit } from '../../../../data/canonical-json.ts';
import { ByteWriter } from './bytes.ts';
import type { Target } from './targets.ts';
import { byte } from './tokens.ts';

/**
 * Shared by records with the same columns in the same order; `sorted` is the canonical order of their
 * members.
 */
interface Shape {
  sequence: Int32Array;
  sorted: Int32Array;
}

const maxShapes = 1_000;
/** The canonical form is hashed in chunks of about this size and never held as a whole. */
const hashedBytes = 65_536;

/** Builds the canonical form of a page's records as they are read, and its hash. */
export class CanonicalRecords {
  /** Bytes not hashed yet. */
  readonly #out = new ByteWriter(2 * hashedBytes);
  readonly #hash = createHash('sha256');
  readonly #targets: readonly Target[];
  readonly #source: Uint8Array;
  readonly #scratch: ByteWriter;
  readonly #shapes = new Map<string, Shape>();
  #shape: Shape = { sequence: new Int32Array(0), sorted: new Int32Array(0) };
  #bytes = 0;
  #records = 0;
  /**
   * For the current record: its columns in order, and the position of each column's value (in `scratch` if
   * negative).
   */
  readonly sequence: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;

  constructor(targets: readonly Target[], source: Uint8Array, scratch: ByteWriter) {
    this.#targets = targets;
    this.#source = source;
    this.#scratch = scratch;
    this.sequence = new Int32Array(targets.length);
    this.starts = new Int32Array(targets.length);
    this.ends = new Int32Array(targets.length);
  }

  /** The column at this position in the previous record. */
  expected(index: number): Target | undefined {
    const position = this.#shape.sequence[index];
    return position === undefined ? undefined : this.#targets[position];
  }

  /** Adds the current record, which has this many members. */
  add(count: number): void {
    const out = this.#out;
    const { sorted } = this.#shapeOf(count);
    out.byte(this.#records === 0 ? byte.openList : byte.comma);
    this.#records += 1;
    out.byte(byte.openObject);
    for (let index = 0; index < count; index += 1) {
      const position = sorted[index]!;
      if (index > 0) out.byte(byte.comma);
      const { member } = this.#targets[position]!;
      out.copy(member, 0, member.length);
      const start = this.starts[position]!;
      if (start >= 0) out.copy(this.#source, start, this.ends[position]!);
      else out.copy(this.#scratch.buffer, -start - 1, this.ends[position]!);
    }
    out.byte(byte.closeObject);
    if (out.length > hashedBytes) this.#hashWritten();
  }

  end(): { sha256: string; sizeBytes: number } {
    if (this.#records === 0) this.#out.byte(byte.openList);
    this.#out.byte(byte.closeList);
    this.#hashWritten();
    return { sha256: this.#hash.digest('hex'), sizeBytes: this.#bytes };
  }

  #shapeOf(count: number): Shape {
    const { sequence } = this.#shape;
    let same = sequence.length === count ? 0 : -1;
    while (same >= 0 && same < count && sequence[same] === this.sequence[same]) same += 1;
    if (same === count) return this.#shape;
    const own = this.sequence.slice(0, count);
    const key = own.join();
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      const nameOf = (position: number) => this.#targets[position]!.name;
      shape = { sequence: own, sorted: own.toSorted((a, b) => byCodeUnit(nameOf(a), nameOf(b))) };
      if (this.#shapes.size < maxShapes) this.#shapes.set(key, shape);
    }
    this.#shape = shape;
    return shape;
  }

  #hashWritten(): void {
    this.#hash.update(this.#out.written());
    this.#bytes += this.#out.length;
    this.#out.length = 0;
  }
}
