export const invariants = {
  missing: 'Acknowledged and missing',
  doubled: 'Doubled',
  altered: 'Altered',
  unaccounted: 'Present without an acknowledgement',
  half: 'Half-applied batch or request seen by a reader',
  invisible: 'Acknowledged and not seen by a later reader',
  stuck: 'Stuck batch',
  unresolved: 'Request never resolved',
  unexpected: 'Refused, failed or lost without a cause',
  miscounted: 'Answer with other counts than were sent',
  checkpoint: 'Checkpoint that is not the last applied batch',
  messageLost: 'Acknowledged message that is lost',
  messageDoubled: 'Message there or answered more than once',
  messageUnaccounted: 'Message there that was removed or never accepted',
  messageOrder: 'Message out of its order',
  turnStuck: 'Conversation that does not come to rest',
  turnEnd: 'Reply that failed or was stopped without a cause',
  answer: 'Reply that is not its answer, whole and once',
  events: 'Event missing, repeated or going back',
  applied: 'Events that do not come to what is shown',
  runStuck: 'Run that does not come to its end',
  runEnd: 'Run that failed or was cancelled without a cause',
  runOutput: 'Run without its one report, or a report without its run',
  fireLost: 'Fire of a schedule that is lost',
  fireDoubled: 'Fire of a schedule that is there twice',
  fireMissed: 'Fire missed or skipped without a cause',
  fireStuck: 'Fire that does not come to its end',
  fireEnd: 'Fire that did not end as its run and deliveries did',
  fireOutput: 'Fire without its report and files, or those of none',
  flowLost: 'Run of a workflow that is lost',
  flowDoubled: 'Run of a workflow that is there twice',
  flowStuck: 'Run of a workflow that does not come to its end',
  flowEnd: 'Run of a workflow that failed or was cancelled without a cause',
  flowOutput: 'Run of a workflow without its report, file and deliveries, or with more',
  flowDelivery: 'Delivery of a workflow that is not where it says',
  snapshotLost: 'Snapshot of a dataset that is lost',
  snapshotDoubled: 'Snapshot of a dataset that is there twice',
  snapshotStuck: 'Snapshot of a dataset that does not come to its end',
  snapshotEnd: 'Snapshot of a dataset that failed or was cancelled without a cause',
  copyDoubled: 'Record of a source that its copy has twice',
  copyAltered: 'Row of a copy that its source never had',
  copyTorn: 'Copy that is not one whole state of its source',
  copyBack: 'Copy that goes back behind what a reader saw',
  copyBehind: 'Copy that lacks what was there before its snapshot',
  copyEnd: 'Copy that is not its source in the end',
  buildStuck: 'Calculated table that does not become fresh, or its run has no end',
  buildEnd: 'Run of a calculated table that failed without a cause',
  buildTorn: 'Calculated table that is not one whole state of its sources',
  buildBack: 'Calculated table that goes back behind what a reader saw',
  buildBehind: 'Calculated table that lacks what was there before its sync',
  verificationStuck: 'Run of tests, or gated batch, that does not come to its end',
  verificationEnd: 'Run of tests, or gated batch, that did not end as it had to',
  gateLeaked: 'Content that a blocking test refused, and a reader saw',
  exportStuck: 'Export that does not come to its end',
  exportEnd: 'Export that failed or was cancelled without a cause',
  exportTorn: 'Export whose files are not what it tells, or not one whole state of its table',
  sourceLimit: 'Requests to a source beyond its limits',
  mail: 'Mail that is not where its delivery says',
  broken: 'Answer with the status 500',
  stack: 'Stack that did not come back',
} as const;

export type Invariant = keyof typeof invariants;

/** What happened in a run: counts of everything, and each breach with its details. */
export interface Journal {
  count(group: string, name: string, by?: number): void;
  breach(invariant: Invariant, detail: string): void;
  counts(): ReadonlyMap<string, ReadonlyMap<string, number>>;
  breaches(invariant: Invariant): readonly string[];
  isClean(): boolean;
}

export function createJournal(report: (line: string) => void): Journal {
  const counts = new Map<string, Map<string, number>>();
  const breaches = new Map<Invariant, string[]>();
  return {
    count(group, name, by = 1) {
      const inGroup = counts.get(group) ?? new Map<string, number>();
      counts.set(group, inGroup.set(name, (inGroup.get(name) ?? 0) + by));
    },
    breach(invariant, detail) {
      const known = breaches.get(invariant) ?? [];
      breaches.set(invariant, [...known, detail]);
      if (known.length < 20) report(`BREACH ${new Date().toISOString()} ${invariants[invariant]}: ${detail}`);
    },
    counts: () => counts,
    breaches: (invariant) => breaches.get(invariant) ?? [],
    isClean: () => breaches.size === 0,
  };
}

/** Counts in the order of their groups' names, and every invariant with its number of breaches. */
export function summary(journal: Journal): string {
  const groups = [...journal.counts()].toSorted(([a], [b]) => a.localeCompare(b));
  const lines = groups.map(([group, names]) => {
    const parts = [...names].toSorted(([a], [b]) => a.localeCompare(b)).map(([name, n]) => `${n} ${name}`);
    return `${`${group}:`.padEnd(26)} ${parts.join(', ')}`;
  });
  const figures = Object.entries(invariants).map(
    ([key, text]) => `${`${text}:`.padEnd(50)} ${journal.breaches(key as Invariant).length}`,
  );
  return ['', ...lines, '', ...figures].join('\n');
}
