/** Texts of the console itself, of signing in and out, and of unknown pages. */
export const name = 'Workspace';
export const signOut = 'Sign out';
export const switchOrganization = 'Switch organization';
export const signedOut = {
  title: "You're signed out",
  again: 'Sign in again',
};
export const signInFailed = 'Sign-in failed';
export const notThere = { title: 'Page not found', back: 'Go to tables' };
