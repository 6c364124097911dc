/** Texts of the console itself, of signing in and out, and of addresses where nothing is. */
export const name = 'Workspace';
export const signOut = 'Sign out';
export const switchOrganization = 'Switch organization';
export const signedOut = {
  title: 'You are signed out',
  again: 'Sign in again',
};
export const signInFailed = 'The sign-in did not work';
export const notThere = { title: 'There is no such page', back: 'To the tables' };
