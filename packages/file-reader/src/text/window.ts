/** The range of records to keep, counted from 0. */
export interface RecordWindow {
  from: number;
  to: number;
  /** Reads to the end of the file to count its records. */
  countAll: boolean;
  /** The requested page, within the window. */
  page: { from: number; to: number };
}

/** The page's range among the kept records: `_at` from `start` to before `end`. */
export interface PageSpan {
  start: number;
  end: number;
}

export interface RecordCounter {
  /** Counts a record at `position`; false if it is not to be kept. */
  next(position: number): boolean;
  /** Whether no more records are needed. */
  isDone(): boolean;
  seen(): number;
  span(): PageSpan;
}

export function countRecords(window: RecordWindow | undefined): RecordCounter {
  let seen = 0;
  const nowhere = Number.MAX_SAFE_INTEGER;
  const span: PageSpan = { start: window === undefined ? 0 : nowhere, end: nowhere };
  return {
    next(position) {
      const index = seen;
      seen += 1;
      if (window === undefined) return true;
      if (index === window.page.from) span.start = position;
      if (index === window.page.to) span.end = position;
      return index >= window.from && index < window.to;
    },
    isDone: () => window !== undefined && !window.countAll && seen > window.to,
    seen: () => seen,
    span: () => span,
  };
}
