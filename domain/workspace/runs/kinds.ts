interface KindOfRun {
  /** What people call it. */
  label: string;
  /** Its runs are shown with the table that is their resource. */
  isAboutTable?: true;
  /** Its steps and output name tables that not everybody who sees the run may see. */
  namesTables?: true;
}

/**
 * Every kind of run, by the value of its column. The API, its document, MCP, the console and the types of the
 * rows take them from here, so this file imports nothing. The migration of a new kind allows it in
 * `runs_kind_check`; a test compares both.
 */
export const runKinds = {
  import: { label: 'import' },
  report: { label: 'report' },
  playbook: { label: 'playbook' },
  materialize: { label: 'calculated table', isAboutTable: true, namesTables: true },
  snapshot: { label: 'snapshot' },
  profile: { label: 'profile', isAboutTable: true },
  verification: { label: 'tests' },
  export: { label: 'export' },
  workflow: { label: 'workflow' },
} as const satisfies Record<string, KindOfRun>;

export type RunKind = keyof typeof runKinds;

export const runKindNames = Object.keys(runKinds) as [RunKind, ...RunKind[]];

export const runKind = (kind: RunKind): KindOfRun => runKinds[kind];
