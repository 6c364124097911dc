const weekdays = {
  MONDAY: 'Monday',
  TUESDAY: 'Tuesday',
  WEDNESDAY: 'Wednesday',
  THURSDAY: 'Thursday',
  FRIDAY: 'Friday',
  SATURDAY: 'Saturday',
  SUNDAY: 'Sunday',
} as const;

/** Texts of schedules. */
export const schedules = {
  title: 'Schedules',
  empty: 'There are no schedules yet.',
  about: 'A schedule runs a playbook at set times in a time zone.',
  columns: { what: 'What', cadence: 'When', next: 'Next', last: 'Last run', status: 'Status' },
  never: 'not yet',
  new: 'New schedule',
  create: 'Create schedule',
  save: 'Save schedule',
  saved: (revision: number) => `Saved as revision ${revision}.`,
  edit: 'Edit',
  noPlaybooks: 'This project has no playbooks to run. Create one first.',
  fields: {
    playbook: 'Playbook',
    description: 'Description',
    type: 'Repeats',
    zone: 'Time zone',
    time: 'Time of day',
    runDate: 'Date',
    days: 'Days of the week',
    dayOfMonth: 'Day of the month',
    dayHint: 'In a shorter month, the last day is used.',
    anchorDate: 'Not before',
    folder: 'Output folder',
    folderHint: 'A folder in the project. If you leave this empty, no files are written.',
    recipients: 'Recipients of the output',
    recipientsHint: 'Email addresses, one per line.',
  },
  types: { one_time: 'once', daily: 'every day', weekly: 'every week', monthly: 'every month' },
  legacy:
    'This schedule came from another system and keeps running. If you save this form, the new settings replace it.',
  weekdays,
  shortDays: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
  words: {
    once: (day: string, time: string) => `once, on ${day} at ${time}`,
    daily: (every: number, time: string) => `${every === 1 ? 'every day' : `every ${every} days`} at ${time}`,
    weekly: (every: number, days: string, time: string) =>
      `${every === 1 ? 'every' : `every ${every} weeks on`} ${days} at ${time}`,
    monthly: (every: number, day: number, time: string) =>
      `on day ${day} of every ${every === 1 ? 'month' : `${every} months`} at ${time}`,
    monthEnd: (every: number, time: string) =>
      `on the last day of every ${every === 1 ? 'month' : `${every} months`} at ${time}`,
    minutes: (count: number) => `every ${count} minutes`,
    cron: (expression: string) => `cron ${expression}`,
    from: (day: string) => `, from ${day}`,
    zone: (zone: string) => ` (${zone})`,
  },
  pauseReasons: {
    maker_removed: 'Paused because the person it runs as was removed.',
    grant_lost: 'Paused because the person it runs as can no longer read one of its tables.',
  },
  pause: 'Pause',
  resume: 'Resume',
  trigger: 'Run now',
  delete: 'Delete',
  deleteSure: "Delete this schedule and its list of runs? The output of runs in progress isn't delivered.",
  next: 'Upcoming runs',
  noNext: 'The schedule has no more runs.',
  noLater: 'The last of these is the last run of the schedule.',
  knownUntil: (day: string, time: string) =>
    `This list ends at ${day}, ${time}. The schedule continues after that.`,
  earlier: 'Previous month',
  later: 'Next month',
  more: (count: number) => `+${count}`,
  notes: {
    gap: 'The clock skips this time, so the run starts at the next time that exists.',
    overlap: 'The clock shows this time twice. The run starts once, the first time.',
    month_end: 'This month is shorter, so the run starts on its last day.',
  },
  firesAt: (time: string) => `The run starts at ${time} local time.`,
  backfills: {
    title: 'Backfills',
    hint: 'A backfill runs each past time of the schedule in a range, oldest first and one after the other.',
    from: 'From',
    to: 'Until',
    onlyMissing: 'Skip times that succeeded',
    look: 'Preview runs',
    found: (total: number) =>
      total === 0
        ? 'There is nothing to run.'
        : total === 1
          ? 'One run:'
          : `${total.toLocaleString()} runs, from`,
    start: (total: number) => `Start ${total === 1 ? 'the run' : `${total.toLocaleString()} runs`}`,
    none: 'There are no backfills yet.',
    range: 'Range',
    status: 'Status',
    done: 'Ended',
    change: 'Actions',
    cancel: 'Stop backfill',
  },
  runs: 'Runs',
  noRuns: "This schedule hasn't run yet.",
  run: { time: 'Scheduled for', status: 'Status', reason: 'Reason', made: 'Run', open: 'Open run' },
} as const;
