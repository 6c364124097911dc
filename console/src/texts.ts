/** Every text of the console, in one place. */
export const texts = {
  name: 'Workspace',
  skip: 'Skip to the content',
  pages: { data: 'Data', query: 'Query' },
  signOut: 'Sign out',
  signedOut: {
    title: 'You are signed out of the console',
    again: 'Sign in again',
    browser: 'Sign out of this browser too',
  },
  signInFailed: 'The sign-in did not work',
  tryAgain: 'Try again',
  failed: 'That did not work',
  requestId: (id: string) => `Quote request ${id} to the operator.`,
  loading: 'Loading …',
  notThere: { title: 'There is no such page', back: 'To the tables' },
  data: {
    search: 'Search tables and views',
    columns: { name: 'Name', kind: 'Kind', rows: 'Rows', changed: 'Changed' },
    kinds: {
      data: 'rows',
      calc: 'calculated',
      import: 'file',
      snapshot: 'copy',
      system: 'system',
      view: 'view',
    },
    empty: 'There are no tables yet. Import a file by the API or the command line, and it appears here.',
    system: 'Tables of the service itself',
    noneFound: (text: string) => `No table or view has “${text}” in its name.`,
  },
  table: {
    columns: 'Columns',
    rows: 'Rows',
    column: { name: 'Column', type: 'Type', description: 'Description' },
    counted: (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`,
    tests: { passing: 'tests pass', warning: 'tests warn', failing: 'tests fail', untested: 'no tests' },
    made: (up: number, down: number) => `made from ${up}, used by ${down}`,
    empty: 'It has no rows.',
    query: 'Query it',
  },
  query: {
    label: 'SQL',
    hint: 'One SELECT, in DuckDB’s dialect. Ctrl+Enter runs it.',
    run: 'Run',
    stop: 'Stop',
    none: 'No rows match.',
    told: (rows: number, ms: number) =>
      `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'} in ${Math.round(ms).toLocaleString('en')} ms`,
    truncated: (rows: number) =>
      `The first ${rows.toLocaleString('en')} rows. Ask for fewer, or export them all.`,
  },
} as const;
