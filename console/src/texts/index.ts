import { ask } from './ask.ts';
import { automation } from './automation.ts';
import { connections } from './connections.ts';
import { intake } from './intake.ts';
import { parts } from './parts.ts';
import { query } from './query.ts';
import { reports } from './reports.ts';
import { runs } from './runs.ts';
import { settings } from './settings.ts';
import { table } from './table.ts';

/** Every text of the console, in one place: that of each room in a file here. */
export const texts = {
  name: 'Workspace',
  ask,
  automation,
  connections,
  intake,
  parts,
  reports,
  runs,
  settings,
  pages: {
    data: 'Data',
    query: 'Query',
    ask: 'Ask',
    reports: 'Reports',
    runs: 'Runs',
    playbooks: 'Automation',
    connections: 'Connections',
    settings: 'Settings',
  },
  palette: {
    title: 'Go to',
    label: 'Go to a page or a table',
    page: 'page',
    none: 'Nothing has such a name.',
  },
  project: {
    label: 'Project',
    none: 'A project holds what belongs together: files, conversations, reports and what runs by itself.',
    name: 'Its name',
    first: 'My project',
    create: 'Create the project',
  },
  signOut: 'Sign out',
  signedOut: {
    title: 'You are signed out of the console',
    again: 'Sign in again',
    browser: 'Sign out of this browser too',
  },
  signInFailed: 'The sign-in did not work',
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
    empty: 'There are no tables yet. Drop a file anywhere on this page, or choose one.',
    more: (count: number) => `${count.toLocaleString('en')} more: search for them.`,
    system: 'Tables of the service itself',
    noneFound: (text: string) => `No table or view has “${text}” in its name.`,
  },
  query,
  table,
} as const;
