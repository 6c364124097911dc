/** Texts of how a dataset is copied. */
export const dataset = {
  how: (name: string) => `Copy options of ${name}`,
  name: 'Name',
  mode: 'Mode',
  modes: { full: 'full', incremental: 'incremental' },
  modeHint:
    'A full copy replaces everything. An incremental copy merges the changes since the last one by key.',
  byPolicy: 'set by the HTTP replication',
  by: (cursor: string) => `incremental by ${cursor}`,
  cursor: 'Cursor column',
  cursorHint: 'A column that grows whenever a row changes, such as a change time or a serial number.',
  keys: 'Key columns',
  keysHint: 'Together they must be unique. A copied row replaces the row with the same key.',
  keysOfHttp: 'If you leave this empty, the key is the tie breaker of the cursor.',
  unchosen: '—',
  guard: 'Guard: maximum row loss in percent',
  guardHint:
    'A copy that would lose more rows waits for somebody to decide. If you leave this empty, copies never wait.',
  project: 'Project',
  projectHint: 'Copies appear in the runs of this project.',
  noProject: 'none',
  enabled: 'Allow copies, manual and scheduled',
  enabledHint:
    'If the connection allows copies of all datasets, this one can be copied even when this is off.',
  schedule: 'Schedule',
  repeats: { never: 'manual only', minutes: 'at an interval', clock: 'at set times' },
  minutes: 'Minutes between copies',
  create: 'Add dataset',
  save: 'Save copy options',
  saved: 'Saved.',
  paused: (cadence: string) => `${cadence}, paused`,
  done: (cadence: string) => `${cadence}, done`,
  pause: 'Pause',
  resume: 'Resume',
} as const;

/** Texts of copies that their guard holds back. */
export const held = {
  title: 'Held copies',
  of: (table: string) => `Held by its guard: ${table}`,
  compared: (before: string, now: string, fewer: string) =>
    `The table has ${before} rows, and this copy has ${now}: ${fewer} fewer.`,
  rows: (now: string) => `This copy has ${now} rows, which is too few for its guard.`,
  copied: (now: string) => `This copy has ${now} rows.`,
  guard: (share: string) => `The guard lets a copy lose up to ${share}.`,
  undecided: "If nobody decides, the copy fails after 24 hours and the table doesn't change.",
  confirm: 'Apply copy',
  sure: 'Apply this copy? Its rows replace all rows of the table.',
  cancel: 'Reject copy',
  taking: 'The copy is being applied.',
  taken: (rows: string) => `The copy was applied. It has ${rows} rows.`,
  refusing: 'The copy is being rejected.',
  refused: "The copy was rejected. The table didn't change.",
  failed: (why: string) => `The copy wasn't applied: ${why}`,
} as const;
