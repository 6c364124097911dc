/** An occurrence, as the service tells it. */
export interface Occurrence {
  at: string;
  localTime: string;
  note: 'gap' | 'overlap' | 'month_end' | null;
}

export interface Day {
  key: string;
  /** Of the month; undefined before its first and after its last. */
  number: number | undefined;
  occurrences: readonly Occurrence[];
}

export interface Month {
  key: string;
  title: string;
  /** From Monday to Sunday. */
  weeks: readonly { key: string; days: readonly Day[] }[];
  occurrences: readonly Occurrence[];
}

const monthTitle = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The months in which something occurs, by the clock of the cadence. */
export function monthsOf(occurrences: readonly Occurrence[]): Month[] {
  return [...Map.groupBy(occurrences, ({ localTime }) => localTime.slice(0, 7))].map(([key, found]) => {
    const [year, month] = key.split('-').map(Number) as [number, number];
    const first = new Date(Date.UTC(year, month - 1, 1));
    const before = (first.getUTCDay() + 6) % 7;
    const count = new Date(Date.UTC(year, month, 0)).getUTCDate();
    const dayAt = (place: number): Day => {
      const number = place - before + 1;
      if (number < 1 || number > count) return { key: `no day ${place}`, number: undefined, occurrences: [] };
      const day = `${key}-${String(number).padStart(2, '0')}`;
      return { key: day, number, occurrences: found.filter(({ localTime }) => localTime.startsWith(day)) };
    };
    const weeks = Array.from({ length: Math.ceil((before + count) / 7) }, (_, week) => ({
      key: `${key} week ${week}`,
      days: Array.from({ length: 7 }, (_, weekday) => dayAt(week * 7 + weekday)),
    }));
    return { key, title: monthTitle.format(first), weeks, occurrences: found };
  });
}

/** 08:00, and with seconds only where there are some. */
export const clockTime = (localTime: string): string =>
  localTime.slice(11).replace(/^(\d\d:\d\d):00.*$/, '$1');

/** What the clock of a zone shows at an instant. */
export function timeIn(timeZone: string, at: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23', timeZone }).format(
      new Date(at),
    );
  } catch {
    // A zone that the browser does not know.
    return at;
  }
}
