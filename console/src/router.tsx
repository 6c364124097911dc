import { createRootRoute, createRoute, createRouter, Link, redirect } from '@tanstack/react-router';
import { TablePage } from './data/table-page.tsx';
import { TablesPage } from './data/tables-page.tsx';
import { Failure } from './parts/states.tsx';
import { QueryPage } from './query/query-page.tsx';
import { isSignedIn, signIn } from './session/login.ts';
import { CallbackPage, SignedOutPage } from './session/pages.tsx';
import { Shell } from './shell/shell.tsx';
import { texts } from './texts.ts';

/** A text of the address, if it is one. */
const text = (name: string) => (search: Record<string, unknown>) =>
  typeof search[name] === 'string' ? { [name]: search[name] } : {};

const root = createRootRoute({
  notFoundComponent: () => (
    <main className="alone">
      <h1>{texts.notThere.title}</h1>
      <Link to="/">{texts.notThere.back}</Link>
    </main>
  ),
  errorComponent: ({ error, reset }) => (
    <Failure error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
  ),
});

/** Pages in the frame are those of somebody who signed in. */
const framed = createRoute({
  getParentRoute: () => root,
  id: 'framed',
  component: Shell,
  async beforeLoad() {
    if (isSignedIn()) return;
    await signIn();
    // The browser is on its way; nothing is shown meanwhile.
    await new Promise(() => undefined);
  },
});
const tables = createRoute({
  getParentRoute: () => framed,
  path: '/',
  component: TablesPage,
  validateSearch: text('search') as (search: Record<string, unknown>) => { search?: string },
});
const table = createRoute({ getParentRoute: () => framed, path: '/tables/$tableId', component: TablePage });
const query = createRoute({
  getParentRoute: () => framed,
  path: '/query',
  component: QueryPage,
  validateSearch: text('sql') as (search: Record<string, unknown>) => { sql?: string },
});
const callback = createRoute({ getParentRoute: () => root, path: '/callback', component: CallbackPage });
const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  component: SignedOutPage,
  beforeLoad() {
    if (isSignedIn()) throw redirect({ to: '/' });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([framed.addChildren([tables, table, query]), callback, signedOut]),
  basepath: '/console',
  // Numbers and texts that look like JSON stay as they were typed.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const told = new URLSearchParams(search as Record<string, string>).toString();
    return told === '' ? '' : `?${told}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
