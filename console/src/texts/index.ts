/**
 * Every text of the console, in one place: that of each room in a file here, which is fetched with the room's pages.
 * Whoever imports all of them with `* as texts` gets those alone that they name.
 */
export { ask } from './ask.ts';
export { automation } from './automation.ts';
export { charts } from './charts.ts';
export { connections } from './connections.ts';
export { dashboards } from './dashboards.ts';
export { explore } from './explore.ts';
export { files } from './files.ts';
export { data, pages, palette, project, shell } from './frame.ts';
export { home } from './home.ts';
export { intake } from './intake.ts';
export { parts } from './parts.ts';
export { query } from './query.ts';
export { reports } from './reports.ts';
export { runs } from './runs.ts';
export { saved } from './saved.ts';
export { name, notThere, signedOut, signInFailed, signOut, switchOrganization } from './session.ts';
export { settings } from './settings.ts';
export { table } from './table.ts';
export { verification } from './verification.ts';
