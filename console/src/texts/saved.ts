/** Texts of saved queries and their parameters, and of what adds them to a dashboard. */
export const saved = {
  types: { string: 'text', number: 'number', boolean: 'yes or no', date: 'day', list: 'list' },
  yes: 'yes',
  no: 'no',
  unset: 'not set',
  list: 'Separate the values by commas.',
  parameter: {
    title: (name: string) => `Parameter ${name}`,
    type: 'Type',
    default: 'Default value',
  },
  form: {
    name: 'Name',
    description: 'Description',
    create: 'Save query',
    change: 'Save changes',
    copy: 'Save as a new query',
    now: 'Somebody changed the query after you opened it. Its statement is now:',
    replace: 'Replace it with mine',
  },
  add: {
    title: 'Add to dashboard',
    pin: 'Pin to dashboard',
    tile: 'Title of the tile',
    dashboard: 'Dashboard',
    new: 'New dashboard',
    name: 'Name of the dashboard',
    submit: 'Add',
    open: (name: string) => `Open ${name}`,
    kept: 'The tile shows a saved query, which is created with it.',
  },
} as const;
