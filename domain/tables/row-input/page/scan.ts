import type { JsonValue } from '../../../../data/exact-json.ts';
import { rowIdColumn } from '../../tables/column-name.ts';
import type { LakeColumn } from '../../tables/columns.ts';
import { maxRecords } from '../reading/sent-list.ts';
import { ByteWriter } from './bytes.ts';
import { CanonicalRecords } from './canonical.ts';
import { Cells } from './cells.ts';
import { goesOn, readMembers } from './members.ts';
import type { PageContent, PageRules } from './page.ts';
import { type Target, targetsOf } from './targets.ts';
import { bail, byte, Tokens } from './tokens.ts';

/** The scanned body of a page: its records, and its other members. */
export interface ScannedBody {
  content: PageContent;
  members: Record<string, JsonValue>;
}

/**
 * Reads a page's body in one pass over its bytes, which yields the canonical form, its checks and the
 * engine's feed without creating a JavaScript value per cell. Undefined if anything is unusual or wrong; the
 * general reading then decides.
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

class Scan {
  readonly #tokens: Tokens;
  readonly #cells: Cells;
  readonly #feed: ByteWriter;
  readonly #targets: Target[];
  readonly #canonical: CanonicalRecords;
  readonly #byName: Map<string, Target>;
  readonly #required: readonly Target[];
  readonly #rules: PageRules;
  /** The record (from 1) in which a column last occurred, and in which it last had a value. */
  readonly #seenIn: Int32Array;
  readonly #valueIn: Int32Array;
  /** The s_ids so far; also as a set once they are no longer ascending. */
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
    this.#canonical = new CanonicalRecords(this.#targets, body, this.#cells.scratch);
    this.#byName = new Map(this.#targets.map((target) => [target.name, target]));
    this.#required = this.#targets.filter(({ isRequired }) => isRequired);
    this.#rules = rules;
    this.#seenIn = new Int32Array(this.#targets.length);
    this.#valueIn = new Int32Array(this.#targets.length);
  }

  run(): ScannedBody {
    const members = readMembers(this.#tokens, () => this.#list());
    return { content: this.#content(), members };
  }

  #list(): void {
    const tokens = this.#tokens;
    tokens.take(byte.openList);
    if (tokens.peek() === byte.closeList) {
      tokens.at += 1;
      return;
    }
    do {
      this.#records += 1;
      if (this.#records > maxRecords) throw bail;
      this.#record();
    } while (goesOn(tokens, byte.closeList));
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
      this.#canonical.sequence[count++] = position;
      tokens.take(byte.colon);
      values += this.#value(target, values === 0) ? 1 : 0;
    } while (goesOn(tokens, byte.closeObject));
    for (const { position } of this.#required) if (this.#valueIn[position] !== this.#records) throw bail;
    this.#feed.byte(byte.closeObject);
    this.#feed.byte(0x0a);
    this.#canonical.add(count);
  }

  /** The column of the next member: mostly the one at this position in the previous record. */
  #key(index: number): Target {
    const tokens = this.#tokens;
    const { source } = tokens;
    const expected = this.#canonical.expected(index);
    if (expected !== undefined) {
      const { quoted } = expected;
      let same = 0;
      while (same < quoted.length && source[tokens.at + same] === quoted[same]) same += 1;
      if (same === quoted.length) {
        tokens.at += same;
        return expected;
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
    const { starts, ends } = this.#canonical;
    const { scratch } = this.#cells;
    const c = tokens.peek();
    const start = tokens.at;
    if (c === 0x6e) {
      if (target.isRequired) throw bail;
      tokens.word('null');
      starts[position] = start;
      ends[position] = tokens.at;
      return false;
    }
    if (!isFirst) this.#feed.byte(byte.comma);
    this.#feed.copy(target.feedMember, 0, target.feedMember.length);
    const scratchAt = scratch.length;
    this.#cells.read(target);
    target.isUsed = true;
    this.#valueIn[position] = this.#records;
    const isSource = this.#cells.isAsItStands;
    starts[position] = isSource ? start : -scratchAt - 1;
    ends[position] = isSource ? tokens.at : scratch.length;
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

  #content(): PageContent {
    return {
      ...this.#canonical.end(),
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
