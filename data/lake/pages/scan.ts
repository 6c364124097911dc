import { createHash } from 'node:crypto';
import { byCodeUnit } from '../../canonical-json.ts';
import type { JsonValue } from '../../exact-json.ts';
import { rowIdColumn } from '../column-name.ts';
import type { LakeColumn } from '../columns.ts';
import { ByteWriter } from './bytes.ts';
import { Cells, type Target, targetsOf } from './cells.ts';
import type { PageContent, PageRules } from './page.ts';
import { bail, byte, Tokens } from './tokens.ts';

/** The body of a page: its records, looked at, and what else stood beside them. */
export interface ScannedBody {
  content: PageContent;
  members: Record<string, JsonValue>;
}

/** The most records of one page. */
export const maxPageRecords = 5_000;

/**
 * Reads a page's body in one pass over its bytes: the canonical form, its checks and the engine's feed come out
 * of it without a JavaScript value a cell. Undefined where anything is unusual or wrong; the general reading
 * then has the last word.
 *
 * @param body UTF-8 that was checked
 * @param feed where the engine's feed is written, from its beginning
 */
export function scanBody(
  body: Buffer,
  columns: readonly LakeColumn[],
  rules: PageRules,
  feed: ByteWriter = new ByteWriter(body.length),
): ScannedBody | undefined {
  feed.length = 0;
  try {
    return new Scan(body, columns, rules, feed).run();
  } catch (error) {
    if (error === bail) return undefined;
    throw error;
  }
}

/** Reads the members of the body; the value of `records`, which must be there once, is read by `readRecords`. */
function readMembers(tokens: Tokens, readRecords: () => void): Record<string, JsonValue> {
  const members: Record<string, JsonValue> = {};
  let hasRecords = false;
  tokens.take(byte.openObject);
  do {
    tokens.peek();
    const keyAt = tokens.at;
    if (!tokens.string()) throw bail;
    const key = tokens.text(keyAt + 1, tokens.at - 1);
    tokens.take(byte.colon);
    if (key === 'records' && !hasRecords) {
      hasRecords = true;
      readRecords();
    } else if (Object.hasOwn(members, key) || key === 'records' || key === '__proto__') throw bail;
    else members[key] = readMember(tokens);
  } while (goesOn(tokens, byte.closeObject));
  tokens.peek();
  if (!hasRecords || tokens.at !== tokens.source.length) throw bail;
  return members;
}

function readMember(tokens: Tokens): JsonValue {
  const c = tokens.peek();
  const start = tokens.at;
  if (c === byte.quote) {
    if (!tokens.string()) throw bail;
    return tokens.text(start + 1, tokens.at - 1);
  }
  tokens.number();
  if (tokens.integerDigits > 15 || tokens.fractionDigits > 0 || tokens.hasExponent || tokens.isNegative)
    throw bail;
  return tokens.value;
}

/** Takes a comma (true) or the end of the list or object (false). */
function goesOn(tokens: Tokens, end: number): boolean {
  const c = tokens.peek();
  if (c !== byte.comma && c !== end) throw bail;
  tokens.at += 1;
  return c === byte.comma;
}

/** Records that name the same columns in the same order share one; `sorted` is the canonical order of its members. */
interface Shape {
  sequence: Int32Array;
  sorted: Int32Array;
}

const maxShapes = 1_000;

/** The canonical form is hashed in pieces of about this size; it is never held whole. */
const hashedBytes = 65_536;

class Scan {
  readonly #tokens: Tokens;
  readonly #cells: Cells;
  readonly #feed: ByteWriter;
  /** What of the canonical form is not hashed yet. */
  readonly #canonical = new ByteWriter(2 * hashedBytes);
  readonly #hash = createHash('sha256');
  #canonicalBytes = 0;
  readonly #targets: Target[];
  readonly #byName: Map<string, Target>;
  readonly #required: readonly Target[];
  readonly #rules: PageRules;
  readonly #shapes = new Map<string, Shape>();
  #shape: Shape = { sequence: new Int32Array(0), sorted: new Int32Array(0) };
  /** Of the record under way: its columns in order, and where each one's canonical value lies (scratch when negative). */
  readonly #sequence: Int32Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  /** The record (from 1) in which a column came last, and in which it had a value. */
  readonly #seenIn: Int32Array;
  readonly #valueIn: Int32Array;
  /** The s_ids so far; as a set too, once they do not rise. */
  readonly #rowIds: (number | bigint)[] = [];
  #rowIdSet: Set<number | bigint> | undefined;
  #min: number | bigint = 0;
  #max: number | bigint = 0;
  #records = 0;

  constructor(body: Buffer, columns: readonly LakeColumn[], rules: PageRules, feed: ByteWriter) {
    this.#tokens = new Tokens(body);
    this.#feed = feed;
    this.#cells = new Cells(this.#tokens, this.#feed);
    this.#targets = targetsOf(columns, rules.keys);
    this.#byName = new Map(this.#targets.map((target) => [target.name, target]));
    this.#required = this.#targets.filter(({ isRequired }) => isRequired);
    this.#rules = rules;
    const count = this.#targets.length;
    this.#sequence = new Int32Array(count);
    this.#starts = new Int32Array(count);
    this.#ends = new Int32Array(count);
    this.#seenIn = new Int32Array(count);
    this.#valueIn = new Int32Array(count);
  }

  run(): ScannedBody {
    const members = readMembers(this.#tokens, () => this.#list());
    return { content: this.#content(), members };
  }

  #list(): void {
    const tokens = this.#tokens;
    tokens.take(byte.openList);
    this.#canonical.byte(byte.openList);
    if (tokens.peek() === byte.closeList) tokens.at += 1;
    else {
      do {
        if (this.#records > 0) this.#canonical.byte(byte.comma);
        this.#records += 1;
        if (this.#records > maxPageRecords) throw bail;
        this.#record();
        if (this.#canonical.length > hashedBytes) this.#hashCanonical();
      } while (goesOn(tokens, byte.closeList));
    }
    this.#canonical.byte(byte.closeList);
  }

  #record(): void {
    const tokens = this.#tokens;
    tokens.take(byte.openObject);
    this.#feed.byte(byte.openObject);
    this.#cells.scratch.length = 0;
    let count = 0;
    let values = 0;
    do {
      tokens.peek();
      const target = this.#key(count);
      const { position } = target;
      if (this.#seenIn[position] === this.#records) throw bail;
      this.#seenIn[position] = this.#records;
      this.#sequence[count++] = position;
      tokens.take(byte.colon);
      values += this.#value(target, values === 0) ? 1 : 0;
    } while (goesOn(tokens, byte.closeObject));
    for (const { position } of this.#required) if (this.#valueIn[position] !== this.#records) throw bail;
    this.#feed.byte(byte.closeObject);
    this.#feed.byte(0x0a);
    this.#writeCanonical(count);
  }

  /** The column of the next member: mostly the one that came here in the record before. */
  #key(index: number): Target {
    const tokens = this.#tokens;
    const { source } = tokens;
    const guess = this.#shape.sequence[index];
    if (guess !== undefined) {
      const target = this.#targets[guess]!;
      const { quoted } = target;
      let same = 0;
      while (same < quoted.length && source[tokens.at + same] === quoted[same]) same += 1;
      if (same === quoted.length) {
        tokens.at += same;
        return target;
      }
    }
    const start = tokens.at;
    if (!tokens.string()) throw bail;
    const target = this.#byName.get(tokens.text(start + 1, tokens.at - 1));
    if (target === undefined) throw bail;
    return target;
  }

  /** Reads one value into feed and canonical form; false for null. */
  #value(target: Target, isFirst: boolean): boolean {
    const tokens = this.#tokens;
    const { position } = target;
    const { scratch } = this.#cells;
    const c = tokens.peek();
    const start = tokens.at;
    if (c === 0x6e) {
      if (target.isRequired) throw bail;
      tokens.word('null');
      this.#starts[position] = start;
      this.#ends[position] = tokens.at;
      return false;
    }
    if (!isFirst) this.#feed.byte(byte.comma);
    this.#feed.copy(target.feedMember, 0, target.feedMember.length);
    const scratchAt = scratch.length;
    this.#cells.read(target);
    target.isUsed = true;
    this.#valueIn[position] = this.#records;
    const isSource = this.#cells.isAsItStands;
    this.#starts[position] = isSource ? start : -scratchAt - 1;
    this.#ends[position] = isSource ? tokens.at : scratch.length;
    if (target.name === rowIdColumn) this.#rowId(start);
    return true;
  }

  #rowId(start: number): void {
    const tokens = this.#tokens;
    if (!this.#cells.isAsItStands) throw bail;
    const isExact = tokens.integerDigits <= 15;
    const id = isExact ? (tokens.isNegative ? -tokens.value : tokens.value) : BigInt(tokens.text(start));
    if (this.#rowIds.length === 0) this.#min = this.#max = id;
    else if (id > this.#max) this.#max = id;
    else {
      this.#rowIdSet ??= new Set(this.#rowIds);
      if (this.#rowIdSet.has(id) && !this.#rules.repeats) throw bail;
      if (id < this.#min) this.#min = id;
    }
    this.#rowIds.push(id);
    this.#rowIdSet?.add(id);
    if (this.#rules.taken?.has(BigInt(id)) === true) throw bail;
  }

  #writeCanonical(count: number): void {
    const out = this.#canonical;
    const { source } = this.#tokens;
    const { scratch } = this.#cells;
    const { sorted } = this.#shapeOf(count);
    out.byte(byte.openObject);
    for (let index = 0; index < count; index += 1) {
      const position = sorted[index]!;
      if (index > 0) out.byte(byte.comma);
      const { member } = this.#targets[position]!;
      out.copy(member, 0, member.length);
      const start = this.#starts[position]!;
      if (start >= 0) out.copy(source, start, this.#ends[position]!);
      else out.copy(scratch.buffer, -start - 1, this.#ends[position]!);
    }
    out.byte(byte.closeObject);
  }

  #shapeOf(count: number): Shape {
    const { sequence } = this.#shape;
    let same = sequence.length === count ? 0 : -1;
    while (same >= 0 && same < count && sequence[same] === this.#sequence[same]) same += 1;
    if (same === count) return this.#shape;
    const own = this.#sequence.slice(0, count);
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

  #hashCanonical(): void {
    this.#hash.update(this.#canonical.written());
    this.#canonicalBytes += this.#canonical.length;
    this.#canonical.length = 0;
  }

  #content(): PageContent {
    this.#hashCanonical();
    return {
      sha256: this.#hash.digest('hex'),
      sizeBytes: this.#canonicalBytes,
      records: this.#records,
      feed: this.#feed.written(),
      columns: this.#targets
        .filter(({ isUsed }) => isUsed)
        .map(({ name, dataType, position }) => ({ name, dataType, position })),
      rowIds: this.#records === 0 ? undefined : { min: BigInt(this.#min), max: BigInt(this.#max) },
      bad: [],
    };
  }
}

/** What stands beside the records of a body, without a look into them; undefined where that is not plain. */
export function skimBody(body: Buffer): Record<string, JsonValue> | undefined {
  try {
    const tokens = new Tokens(body);
    return readMembers(tokens, () => tokens.any());
  } catch (error) {
    if (error === bail) return undefined;
    throw error;
  }
}
