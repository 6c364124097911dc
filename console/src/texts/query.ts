/** Texts of SQL and its answers. */
export const query = {
  label: 'SQL',
  hint: 'Write one SELECT in DuckDB’s dialect. Ctrl+Enter runs it, and Ctrl+Space completes words. To leave the editor, press Escape and then Tab.',
  run: 'Run',
  stop: 'Stop',
  none: 'The query returned no rows.',
  other: 'You changed the statement. The result below belongs to this one:',
  summary: (rows: number, ms: number) =>
    `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'} in ${Math.round(ms).toLocaleString()} ms`,
  truncated: (rows: number) =>
    `These are the first ${rows.toLocaleString()} rows. Sorting applies to these rows only. To see the rest, narrow the query or export all rows.`,
  chart: {
    show: 'Chart',
    kind: 'Kind',
    kinds: { bar: 'bar', line: 'line', point: 'points', area: 'area' },
    x: 'X axis',
    y: 'Y axis',
    color: 'Colour',
    none: 'none',
    cut: (rows: number) => `The chart shows the first ${rows.toLocaleString()} rows.`,
  },
  save: {
    title: 'Save statement',
    name: 'Name',
    as: 'Save as',
    kinds: {
      view: 'a view: runs each time you read it',
      calc: 'a calculated table: stores its rows, and shows when they are stale',
    },
    submit: 'Save',
    open: (name: string) => `Open ${name}`,
  },
  change: {
    of: 'This statement defines',
    title: (name: string) => `Save to ${name}`,
    now: 'Somebody changed the statement after you opened it. It is now:',
    replace: 'Replace it with mine',
  },
  export: {
    title: 'Export all rows',
    forExcel: 'For Excel',
    format: 'Format',
    submit: 'Export',
    running: (rows: number) => `${rows.toLocaleString()} rows written`,
    done: (rows: number) => `${rows.toLocaleString()} rows:`,
  },
  exports: {
    title: 'Exports',
    empty: 'You have no exports yet.',
    columns: { what: 'Source', format: 'Format', status: 'Status', rows: 'Rows', at: 'When', files: 'Files' },
    show: 'Show files',
  },
  history: {
    title: 'Query history',
    empty: "You haven't run a query yet.",
    columns: { sql: 'Statement', rows: 'Rows', at: 'When', status: 'Status' },
  },
} as const;
