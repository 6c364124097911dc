import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { give } from './intake/given.ts';
import { Failure } from './parts/states.tsx';
import { ProjectPage } from './project/project-page.tsx';
import { isSignedIn, ownTab, signIn } from './session/login.ts';
import { CallbackPage, SignedOutPage } from './session/pages.tsx';
import { Shell } from './shell/shell.tsx';
import * as texts from './texts/index.ts';

/** These texts of the address, where they are there. */
const searching =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>) =>
    Object.fromEntries(
      names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
    ) as Partial<Record<Name, string>>;

const root = createRootRoute({
  notFoundComponent: () => (
    <main className="alone">
      <h1>{texts.notThere.title}</h1>
      <Link to="/">{texts.notThere.back}</Link>
    </main>
  ),
});

/** Pages in the frame are those of somebody who signed in. */
const framed = createRoute({
  getParentRoute: () => root,
  id: 'framed',
  component: Shell,
  // Any page may have tabs.
  validateSearch: searching('tab'),
  async beforeLoad() {
    await ownTab();
    if (isSignedIn()) return;
    await signIn();
    // The browser is on its way; nothing is shown meanwhile.
    await new Promise(() => undefined);
  },
});
const inFrame = <const Path extends string>(path: Path) => ({ getParentRoute: () => framed, path });

const home = createRoute({
  ...inFrame('/'),
  component: lazyRouteComponent(() => import('./home/home-page.tsx'), 'HomePage'),
});
const tables = createRoute({
  ...inFrame('/data'),
  component: lazyRouteComponent(() => import('./data/tables-page.tsx'), 'TablesPage'),
  validateSearch: searching('search', 'kind', 'tier'),
});
const table = createRoute({
  ...inFrame('/tables/$tableId'),
  component: lazyRouteComponent(() => import('./data/table-page.tsx'), 'TablePage'),
  validateSearch: searching('version', 'explore'),
});
const query = createRoute({
  ...inFrame('/query'),
  component: lazyRouteComponent(() => import('./query/query-page.tsx'), 'QueryPage'),
  validateSearch: searching('sql', 'of', 'revision', 'query', 'project'),
});
const inProject = createRoute({ ...inFrame('/in-project/$room'), component: ProjectPage });
const importing = createRoute({
  ...inFrame('/projects/$projectId/import'),
  component: lazyRouteComponent(() => import('./intake/import-page.tsx'), 'ImportPage'),
  // A file that was given is not sent when one comes back.
  onLeave: () => give([]),
  validateSearch: searching('file', 'run', 'more'),
});
const files = createRoute({
  ...inFrame('/projects/$projectId/files'),
  component: lazyRouteComponent(() => import('./files/files-page.tsx'), 'FilesPage'),
});
const conversations = createRoute({
  ...inFrame('/projects/$projectId/ask'),
  component: lazyRouteComponent(() => import('./ask/conversations-page.tsx'), 'ConversationsPage'),
});
const conversation = createRoute({
  ...inFrame('/projects/$projectId/ask/$chatId'),
  component: lazyRouteComponent(() => import('./ask/conversation-page.tsx'), 'ConversationPage'),
});
const dashboards = createRoute({
  ...inFrame('/projects/$projectId/dashboards'),
  component: lazyRouteComponent(() => import('./dashboards/dashboards-page.tsx'), 'DashboardsPage'),
});
const dashboard = createRoute({
  ...inFrame('/projects/$projectId/dashboards/$dashboardId'),
  component: lazyRouteComponent(() => import('./dashboards/dashboard-page.tsx'), 'DashboardPage'),
  // Each filter has its value there.
  validateSearch: (search: Record<string, unknown>) =>
    searching('edit', ...Object.keys(search).filter((name) => name.startsWith('filter.')))(search) as {
      edit?: string;
      [filter: `filter.${string}`]: string;
    },
});
const reports = createRoute({
  ...inFrame('/projects/$projectId/reports'),
  component: lazyRouteComponent(() => import('./reports/reports-page.tsx'), 'ReportsPage'),
});
const report = createRoute({
  ...inFrame('/projects/$projectId/reports/$reportId'),
  component: lazyRouteComponent(() => import('./reports/report-page.tsx'), 'ReportPage'),
  validateSearch: searching('revision'),
});
const runs = createRoute({
  ...inFrame('/projects/$projectId/runs'),
  component: lazyRouteComponent(() => import('./runs/runs-page.tsx'), 'RunsPage'),
  validateSearch: searching('kind', 'status'),
});
const run = createRoute({
  ...inFrame('/projects/$projectId/runs/$runId'),
  component: lazyRouteComponent(() => import('./runs/run-page.tsx'), 'RunPage'),
});
const settings = createRoute({
  ...inFrame('/settings'),
  beforeLoad: () => {
    throw redirect({ to: '/settings/$page', params: { page: 'organization' }, replace: true });
  },
});
const settingsPage = createRoute({
  ...inFrame('/settings/$page'),
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
});
const playbooks = createRoute({
  ...inFrame('/projects/$projectId/playbooks'),
  component: lazyRouteComponent(() => import('./automation/playbooks/playbooks-page.tsx'), 'PlaybooksPage'),
});
const playbook = createRoute({
  ...inFrame('/projects/$projectId/playbooks/$playbookId'),
  component: lazyRouteComponent(() => import('./automation/playbooks/playbook-page.tsx'), 'PlaybookPage'),
});
const schedules = createRoute({
  ...inFrame('/schedules'),
  component: lazyRouteComponent(() => import('./automation/schedules/schedules-page.tsx'), 'SchedulesPage'),
  validateSearch: searching('playbook'),
});
const schedule = createRoute({
  ...inFrame('/schedules/$scheduleId'),
  component: lazyRouteComponent(() => import('./automation/schedules/schedule-page.tsx'), 'SchedulePage'),
});
const workflows = createRoute({
  ...inFrame('/workflows'),
  component: lazyRouteComponent(() => import('./automation/workflows/workflows-page.tsx'), 'WorkflowsPage'),
});
const workflow = createRoute({
  ...inFrame('/workflows/$workflowId'),
  component: lazyRouteComponent(() => import('./automation/workflows/workflow-page.tsx'), 'WorkflowPage'),
  validateSearch: searching('run'),
});
const connections = createRoute({
  ...inFrame('/connections'),
  component: lazyRouteComponent(() => import('./connections/connections-page.tsx'), 'ConnectionsPage'),
});
const connection = createRoute({
  ...inFrame('/connections/$connectionId'),
  component: lazyRouteComponent(() => import('./connections/connection-page.tsx'), 'ConnectionPage'),
});
const appConnection = createRoute({
  ...inFrame('/app-connections/$connectionId'),
  component: lazyRouteComponent(() => import('./connections/app-connection-page.tsx'), 'AppConnectionPage'),
});
const tests = createRoute({
  ...inFrame('/tests'),
  component: lazyRouteComponent(() => import('./verification/tests-page.tsx'), 'TestsPage'),
});
const newTest = createRoute({
  ...inFrame('/tests/new'),
  component: lazyRouteComponent(() => import('./verification/new-test-page.tsx'), 'NewTestPage'),
  validateSearch: searching('table'),
});
const oneTest = createRoute({
  ...inFrame('/tests/$definitionId'),
  component: lazyRouteComponent(() => import('./verification/test-page.tsx'), 'TestPage'),
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
  routeTree: root.addChildren([
    framed.addChildren([
      ...[home, tables, table, query],
      ...[inProject, importing, files],
      ...[tests, newTest, oneTest],
      ...[connections, connection, appConnection],
      settings,
      settingsPage,
      ...[conversations, conversation, dashboards, dashboard, reports, report, runs, run],
      ...[playbooks, playbook, schedules, schedule, workflows, workflow],
    ]),
    callback,
    signedOut,
  ]),
  basepath: '/console',
  // Instead of the page alone: the frame stays.
  defaultErrorComponent: ({ error, reset }) => (
    <Failure error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
  ),
  // Numbers and texts that look like JSON stay as they were typed.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(search as Record<string, string>).toString();
    return query === '' ? '' : `?${query}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
