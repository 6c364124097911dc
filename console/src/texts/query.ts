/** Texts of SQL and its answers. */
export const query = {
  label: 'SQL',
  hint: 'One SELECT, in DuckDB’s dialect. Ctrl+Enter runs it, Ctrl+Space completes; Escape and then Tab leaves the text.',
  run: 'Run',
  stop: 'Stop',
  none: 'No rows match.',
  other: 'The statement was changed since. What follows is of this one:',
  told: (rows: number, ms: number) =>
    `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'} in ${Math.round(ms).toLocaleString('en')} ms`,
  truncated: (rows: number) =>
    `The first ${rows.toLocaleString('en')} rows; sorting a column puts these alone in order. Ask for fewer, or export them all.`,
  chart: {
    show: 'Chart',
    kind: 'Kind',
    kinds: { bar: 'bars', line: 'line', point: 'points', area: 'area' },
    x: 'Across',
    y: 'Up',
    color: 'Colour',
    none: 'none',
    cut: (rows: number) => `The chart has the first ${rows.toLocaleString('en')} rows.`,
  },
  save: {
    title: 'Keep it',
    name: 'Name',
    as: 'As',
    kinds: {
      view: 'a view: read anew each time',
      calc: 'a calculated table: built, and told when it is stale',
    },
    submit: 'Keep',
    open: (name: string) => `Open ${name}`,
  },
  change: {
    of: 'This is the statement of',
    title: (name: string) => `Save it to ${name}`,
    now: 'Somebody changed it since you opened it. Now it is:',
    replace: 'Replace that with mine',
  },
  export: {
    title: 'Export all rows',
    forExcel: 'For Excel',
    format: 'Format',
    submit: 'Export',
    running: (rows: number) => `${rows.toLocaleString('en')} rows written`,
    done: (rows: number) => `${rows.toLocaleString('en')} rows:`,
  },
  exports: {
    title: 'What was exported',
    empty: 'Nothing yet.',
    columns: { what: 'Of', format: 'Format', status: 'Status', rows: 'Rows', at: 'When', files: 'Files' },
    show: 'Show the files',
  },
  history: {
    title: 'What you ran',
    empty: 'Nothing yet.',
    columns: { sql: 'Statement', rows: 'Rows', at: 'When', status: 'Status' },
  },
} as const;
