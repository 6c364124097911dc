/** Texts of the frame of every page, and of its first ones. */
export const pages = {
  data: 'Data',
  query: 'Query',
  ask: 'Ask',
  reports: 'Reports',
  runs: 'Runs',
  playbooks: 'Automation',
  connections: 'Connections',
  settings: 'Settings',
};
export const palette = {
  title: 'Go to',
  label: 'Go to a page or a table',
  page: 'page',
  none: 'Nothing has such a name.',
};
export const project = {
  label: 'Project',
  none: 'A project holds what belongs together: files, conversations, reports and what runs by itself.',
  name: 'Its name',
  first: 'My project',
  create: 'Create the project',
};
export const data = {
  search: 'Search tables and views',
  columns: {
    name: 'Name',
    kind: 'Kind',
    tier: 'Tier',
    tests: 'Tests',
    fresh: 'Built',
    rows: 'Rows',
    changed: 'Changed',
  },
  tiers: { raw: 'raw', staged: 'staged', curated: 'curated', certified: 'certified' },
  tests: { passing: 'tests pass', warning: 'tests warn', failing: 'tests fail', untested: 'no tests' },
  states: {
    unmaterialized: 'never built',
    queued: 'waits to be built',
    running: 'is being built',
    fresh: 'fresh',
    stale: 'stale: what it reads has changed',
    failed: 'the last build failed',
  },
  kinds: {
    data: 'rows',
    calc: 'calculated',
    import: 'file',
    snapshot: 'copy',
    system: 'system',
    view: 'view',
  },
  empty: 'There are no tables yet. Drop a file anywhere on this page, or choose one.',
  more: (count: number) => `${count.toLocaleString('en')} more: search for them.`,
  system: 'Tables of the service itself',
  noneFound: (text: string) => `No table or view has “${text}” in its name.`,
  noneSuch: 'No table or view is as asked for.',
};
