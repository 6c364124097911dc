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
  about: 'A schedule runs a playbook again and again, by the clock of a time zone.',
  columns: { what: 'What', cadence: 'When', next: 'Next', last: 'Last run', status: 'Status' },
  never: 'not yet',
  new: 'New schedule',
  create: 'Create the schedule',
  save: 'Save the schedule',
  saved: (revision: number) => `Saved as revision ${revision}.`,
  edit: 'Edit',
  noPlaybooks: 'This project has no playbook to run. Write one first.',
  fields: {
    playbook: 'Playbook',
    description: 'Description',
    type: 'Repeats',
    zone: 'Time zone',
    time: 'Time of day',
    runDate: 'Date',
    days: 'Days of the week',
    dayOfMonth: 'Day of the month',
    dayHint: 'In a shorter month it is the last day.',
    anchorDate: 'Not before',
    folder: 'Folder for the output',
    folderHint: 'A folder of the project; left empty, no files are written.',
    recipients: 'Send the output to',
    recipientsHint: 'E-mail addresses, one per line.',
  },
  types: { one_time: 'once', daily: 'every day', weekly: 'every week', monthly: 'every month' },
  legacy:
    'This cadence came from another system. It keeps firing, and saving here replaces it by one of the above.',
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
    maker_removed: 'It was paused because whom it runs as was removed.',
    grant_lost: 'It was paused because whom it runs as may not read one of its tables any more.',
  },
  pause: 'Pause',
  resume: 'Resume',
  trigger: 'Run it now',
  delete: 'Delete',
  deleteSure: 'Delete this schedule and the list of its runs? Output of runs in progress is not delivered.',
  next: 'Next occurrences',
  noNext: 'It does not fire again.',
  noLater: 'After the last of these it does not fire again.',
  knownUntil: (day: string, time: string) =>
    `Later times are not computed yet: these are known until ${day}, ${time}, and it goes on after that.`,
  earlier: 'Earlier month',
  later: 'Later month',
  more: (count: number) => `+${count}`,
  notes: {
    gap: 'The clock skips this time; it fires at the first time after.',
    overlap: 'The clock shows this time twice; it fires once, the first time.',
    month_end: 'The month is shorter; it fires on its last day.',
  },
  firesAt: (time: string) => `That is at ${time} there.`,
  backfills: {
    title: 'Make up for the past',
    hint: 'Each time in a range at which it would have fired, oldest first, one after the other.',
    from: 'From',
    to: 'Until',
    onlyMissing: 'Leave out what has succeeded',
    look: 'Look at what would run',
    found: (total: number) =>
      total === 0
        ? 'Nothing would run.'
        : total === 1
          ? 'Once:'
          : `${total.toLocaleString('en')} times, from`,
    start: (total: number) => `Run ${total === 1 ? 'it' : `these ${total.toLocaleString('en')}`}`,
    none: 'Nothing was made up for yet.',
    range: 'Range',
    status: 'Status',
    done: 'Ended',
    change: 'Change',
    cancel: 'Stop it',
  },
  runs: 'Runs',
  noRuns: 'It has not run yet.',
  run: { time: 'For', status: 'Status', reason: 'Reason', made: 'Run', open: 'Open the run' },
} as const;
