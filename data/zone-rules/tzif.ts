/** What a compiled time zone file says (TZif, RFC 9636). */
export interface ZoneHistory {
  /** In force before the first change. */
  initial: LocalTimeType;
  /** Ascending. */
  changes: readonly Change[];
  /** From when the footer holds, in seconds since 1970: the last time of the file, be it a change or not. */
  footerFrom: number | undefined;
  /** POSIX TZ string; empty if the file has none. */
  footer: string;
}

export interface Change {
  /** Seconds since 1970. */
  at: number;
  to: LocalTimeType;
}

export interface LocalTimeType {
  /** Seconds east of Greenwich, savings included. */
  offset: number;
  /** Whether the file calls it daylight saving time; Ireland's is in winter. */
  isDst: boolean;
}

const headerLength = 44;

export const isTzif = (file: Buffer): boolean =>
  file.length > headerLength && file.toString('latin1', 0, 4) === 'TZif' && file[4]! >= 0x32;

/** @throws Error if it is not such a file, or one of version 1, which ends in 2037 */
export function readTzif(file: Buffer): ZoneHistory {
  if (!isTzif(file)) throw new Error('The file must be a compiled time zone of version 2 or later.');
  // The first block repeats the second one with times of 32 bits.
  const at = headerLength + blockLength(countsAt(file, 0), 4);
  const { times, types, characters, leaps, standard, universal } = countsAt(file, at);
  const timesAt = at + headerLength;
  const indexesAt = timesAt + 8 * times;
  const typesAt = indexesAt + times;
  const all = Array.from({ length: types }, (_, index): LocalTimeType => {
    const place = typesAt + 6 * index;
    return { offset: file.readInt32BE(place), isDst: file[place + 4] === 1 };
  });
  const changes = Array.from({ length: times }, (_, index) => ({
    at: Number(file.readBigInt64BE(timesAt + 8 * index)),
    to: all[file[indexesAt + index]!]!,
  }));
  const end = typesAt + 6 * types + characters + 12 * leaps + standard + universal;
  const footer = file.toString('latin1', end + 1, file.indexOf(0x0a, end + 1));
  return {
    initial: all[0]!,
    changes: withoutRepetitions(all[0]!, changes),
    footerFrom: changes.at(-1)?.at,
    footer,
  };
}

function countsAt(file: Buffer, at: number) {
  const [universal, standard, leaps, times, types, characters] = Array.from({ length: 6 }, (_, index) =>
    file.readUInt32BE(at + 20 + 4 * index),
  ) as [number, number, number, number, number, number];
  return { universal, standard, leaps, times, types, characters };
}

const blockLength = (
  { universal, standard, leaps, times, types, characters }: ReturnType<typeof countsAt>,
  timeLength: number,
): number =>
  times * (timeLength + 1) + types * 6 + characters + leaps * (timeLength + 4) + standard + universal;

/** Files note some changes of a zone's abbreviation alone, and when their own times or the footer begin. */
function withoutRepetitions(initial: LocalTimeType, changes: readonly Change[]): Change[] {
  let before = initial;
  return changes.filter(({ to }) => {
    const isNew = to.offset !== before.offset || to.isDst !== before.isDst;
    before = to;
    return isNew;
  });
}
