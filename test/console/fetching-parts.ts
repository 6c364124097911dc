import type { Locator, Page } from 'playwright-core';
import { had } from './everything.ts';

/** A part of a page that asks the service for something. */
export interface Part {
  /** The files that ask, once for each query in them. */
  of: string | readonly string[];
  /** Where it is; names in braces stand for ids of what was made. */
  at: string;
  /** What is opened first, by its summary. */
  open?: readonly string[];
  /** Done after that. */
  doing?: (page: Page) => Promise<unknown>;
  asks: string;
  /** In the query of the address. */
  having?: string;
  /** What is asked for besides, where that cannot be had here. */
  beside?: Readonly<Record<string, object>>;
  /** An answer that has none, and what is said of it. */
  none?: readonly [answer: object, says: string];
  /** Left out: what was made is asked for. */
  given?: object;
  full: string | ((page: Page) => Locator);
  /** The page is whole without it meanwhile, so that it does not say that it loads. */
  isQuiet?: true;
}

const no = { items: [], nextCursor: null };
const option = (name: string) => (page: Page) => page.locator('option', { hasText: name }).first();
const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first();
const link = (name: string) => (page: Page) => page.getByRole('link', { name }).first();
const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, exact: true }).first();
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();

const project = '/v1/projects/{project_id}';
const table = '/console/tables/{table}';
const view = '/console/tables/{view}';
const calculated = '/console/tables/{calculated}';
const workflow = '/console/workflows/{workflow}';
const schedule = '/console/schedules/{schedule}';
const connection = '/console/connections/{connection}';
const conversation = '/console/projects/{project}/ask/one';
const board = '/console/projects/{project}/dashboards/{dashboard}';
const report = '/console/projects/{project}/reports/{report}';
const dataConnection = '/v1/connections/data/{connection_id}';
const talk = `${project}/conversations/{chat_id}`;
const datasets = { [`${dataConnection}/datasets`]: had.datasets };
const talking = { [talk]: had.conversation };

const data: Part[] = [
  {
    ...{ of: 'data/tables-page.tsx', at: '/console/data?search=orders', asks: '/v1/tables' },
    ...{ none: [{ tables: [] }, 'No table or view has'], full: link('orders') },
  },
  {
    ...{ of: [], at: '/console/data', asks: '/v1/views', full: link('by_city') },
  },
  {
    ...{
      of: 'data/entries.tsx',
      at: '/console/data?tier=raw&search=orders',
      asks: '/v1/tables/catalog',
      full: link('orders'),
    },
    none: [{ tables: [] }, 'No table or view matches the filters.'],
  },
  { ...{ of: [], at: '/console/data', asks: '/v1/views/catalog', isQuiet: true, full: link('by_city') } },
  {
    ...{ of: 'data/table-page.tsx', at: table, asks: '/v1/tables/{table_id}/catalog' },
    full: heading('orders'),
  },
  { ...{ of: [], at: view, asks: '/v1/views/{view_id}/catalog', full: heading('by_city') } },
  {
    ...{ of: 'data/rows.tsx', at: table, asks: '/v1/tables/{table_id}/rows' },
    full: (page) => page.getByRole('cell', { name: 'Porto' }).first(),
  },
  {
    of: 'data/explore/explored-rows.tsx',
    at: `${table}?explore=${encodeURIComponent('{"sort":[{"column":"city"}]}')}`,
    asks: 'POST /v1/query-executions',
    full: (page) => page.getByRole('cell', { name: 'Porto' }).first(),
  },
  { ...{ of: 'data/statement.tsx', at: view, asks: '/v1/views/{view_id}', full: 'Statement' } },
  {
    ...{ of: 'data/statement.tsx', at: table, asks: '/v1/grid/tables/{table_id}', isQuiet: true },
    full: heading('orders'),
  },
  {
    ...{ of: 'data/profile.tsx', at: table, open: ['Profile'], asks: '/v1/tables/{table_id}/profile' },
    ...{ given: had.profile, full: 'Lagos … Porto' },
  },
  {
    ...{
      of: 'data/verification.tsx',
      at: table,
      open: ['Tests'],
      asks: '/v1/tables/{table_id}/verification',
    },
    none: [{ data: { ...had.verification.data, results: [] } }, 'No tests apply here, or none has run yet.'],
    ...{ given: had.verification, full: 'Cities are there' },
  },
  {
    ...{ of: 'data/versions.tsx', at: table, open: ['Versions'], asks: '/v1/tables/{table_id}/versions' },
    ...{ none: [no, 'There are no versions yet.'], full: link('Read version') },
  },
  {
    ...{ of: 'data/grants.tsx', at: table, open: ['Settings'] },
    asks: '/v1/tables/{table_id}/grants',
    none: [{ data: { tableId: 'one', grants: [] } }, 'Only administrators have access.'],
    full: button('Save access'),
  },
  {
    ...{ of: 'data/grants.tsx', at: table, open: ['Settings'], asks: '/v1/members' },
    full: button('Save access'),
  },
  {
    ...{ of: [], at: table, open: ['Settings'], asks: '/v1/auth/m2m/clients' },
    full: option('the program Importer'),
  },
  {
    ...{ of: 'data/lineage.tsx', at: table, open: ['Lineage'], asks: '/v1/tables/{table_id}/lineage' },
    ...{ having: 'format=json', full: (page) => page.getByRole('definition').getByText('by_city') },
    none: [{ data: { nodes: [], edges: [], truncated: false } }, 'nothing'],
  },
  {
    ...{ of: 'data/lineage.tsx', at: table, open: ['Lineage'], asks: '/v1/tables/{table_id}/lineage' },
    ...{ having: 'format=svg', full: (page) => page.getByRole('img', { name: 'Lineage of orders' }) },
  },
  {
    ...{ of: [], at: view, open: ['Lineage'], asks: '/v1/views/{view_id}/lineage', having: 'format=json' },
    full: (page) => page.getByRole('definition').getByText('orders'),
  },
  {
    ...{ of: 'data/builds.tsx', at: calculated, open: ['Builds'] },
    ...{
      asks: '/v1/grid/tables/{table_id}/runs',
      none: [{ items: [], nextCursor: null }, 'This table has never been built.'],
    },
    full: 'This table has never been built.',
  },
  {
    ...{ of: 'data/calculated.tsx', at: calculated, asks: '/v1/grid/tables/{table_id}/status' },
    beside: { '/v1/grid/tables/{table_id}': had.stale },
    ...{ given: had.freshness, full: 'Changed since the last build: its statement' },
  },
];

const verification: Part[] = [
  {
    ...{ of: 'verification/tests-page.tsx', at: '/console/tests' },
    ...{ asks: '/v1/verification-tests/definitions', full: link('No city is missing') },
    none: [no, 'There are no tests yet.'],
  },
  { ...{ of: 'verification/admins-only.tsx', at: '/console/tests', asks: '/v1/me', full: link('New test') } },
  {
    ...{ of: 'verification/test-page.tsx', at: '/console/tests/{definition}' },
    asks: '/v1/verification-tests/definitions/{definition_id}',
    full: heading('No city is missing'),
  },
  {
    ...{ of: 'verification/overlays.tsx', at: '/console/tests/{definition}', open: ['Exceptions'] },
    ...{ asks: '/v1/verification-tests/overlays', none: [no, 'There are no exceptions.'], full: 'Old rows' },
  },
  {
    ...{ of: 'verification/new-overlay.tsx', at: '/console/tests/{definition}', open: ['Exceptions'] },
    ...{ asks: '/v1/projects', full: option('in the project Sales') },
  },
  {
    ...{ of: 'verification/new-overlay.tsx', at: '/console/tests/{definition}', open: ['Exceptions'] },
    ...{ asks: '/v1/tables', full: (page: Page) => page.locator('option[value^="table "]').first() },
  },
  {
    ...{ of: 'verification/param-field.tsx', at: '/console/tests/new', asks: '/v1/tables' },
    full: option('orders'),
  },
  {
    ...{ of: 'project/select.tsx', at: '/console/tests/new', asks: '/v1/projects', full: option('Sales') },
    doing: (page) => page.getByRole('combobox', { name: 'Which tables' }).selectOption('selected'),
  },
];

const automation: Part[] = [
  {
    ...{ of: 'automation/schedules/schedules-page.tsx', at: '/console/schedules', asks: '/v1/schedules' },
    ...{ none: [no, 'There are no schedules yet.'], full: link('Each morning') },
  },
  {
    ...{ of: 'project/with-project.tsx', at: '/console/workflows', asks: '/v1/projects' },
    ...{ none: [no, 'A project holds the files'], full: 'New workflow' },
  },
  {
    ...{ of: 'automation/schedules/new-schedule.tsx', at: '/console/schedules?playbook={playbook}' },
    asks: `${project}/playbooks`,
    none: [no, 'This project has no playbooks to run. Create one first.'],
    full: option('Orders'),
  },
  {
    ...{ of: 'automation/schedules/schedule-page.tsx', at: schedule, asks: '/v1/schedules/{schedule_id}' },
    full: heading('Each morning'),
  },
  {
    ...{ of: 'automation/schedules/calendar.tsx', at: schedule },
    ...{
      asks: '/v1/schedules/{schedule_id}/occurrences',
      none: [{ items: [] }, 'The schedule has no more runs.'],
    },
    full: (page) => page.locator('table.month time').first(),
  },
  {
    ...{ of: 'automation/schedules/schedule-runs.tsx', at: schedule, open: ['Runs'] },
    ...{ asks: '/v1/schedules/{schedule_id}/runs', none: [no, "This schedule hasn't run yet."] },
    ...{ given: had.scheduleRuns, full: 'Made up for' },
  },
  {
    ...{ of: 'automation/schedules/schedule-runs.tsx', at: schedule, open: ['Runs', 'Deliveries'] },
    asks: '/v1/schedules/{schedule_id}/runs/{schedule_run_id}/deliveries',
    beside: { '/v1/schedules/{schedule_id}/runs': had.scheduleRuns },
    ...{ none: [no, 'There are no deliveries.'], given: had.deliveries, full: 'ada@example.com' },
  },
  {
    ...{ of: 'automation/schedules/backfills.tsx', at: schedule, open: ['Backfills'] },
    ...{ asks: '/v1/schedules/{schedule_id}/backfills', none: [no, 'There are no backfills yet.'] },
    ...{ given: had.backfills, full: '7' },
  },
  {
    ...{ of: 'automation/schedules/edit-schedule.tsx', at: schedule, open: ['Edit'] },
    ...{ asks: `${project}/playbooks/{playbook_id}`, full: button('Save schedule') },
  },
  {
    ...{ of: 'automation/playbooks/playbooks-page.tsx', at: '/console/projects/{project}/playbooks' },
    ...{ asks: `${project}/playbooks`, full: link('Orders') },
    none: [no, 'This project has no playbooks yet.'],
  },
  {
    ...{
      of: 'automation/playbooks/playbook-page.tsx',
      at: '/console/projects/{project}/playbooks/{playbook}',
    },
    ...{ asks: `${project}/playbooks/{playbook_id}`, full: heading('Orders') },
  },
  {
    ...{ of: 'automation/playbooks/versions.tsx', at: '/console/projects/{project}/playbooks/{playbook}' },
    open: ['Versions'],
    asks: `${project}/playbooks/{playbook_id}/versions`,
    ...{
      none: [no, 'There are no versions yet.'],
      full: (page: Page) => page.locator('details', { hasText: 'Orders' }).first(),
    },
  },
  {
    ...{ of: 'automation/playbooks/model-field.tsx', at: '/console/projects/{project}/playbooks/{playbook}' },
    ...{
      open: ['Edit'],
      asks: '/v1/models',
      full: (page: Page) => page.locator('label', { hasText: 'Model' }).first(),
    },
  },
  {
    ...{ of: 'automation/workflows/workflows-page.tsx', at: '/console/workflows', asks: '/v1/workflows' },
    ...{ none: [no, 'You have no workflows yet.'], full: link('Reminder') },
  },
  {
    ...{
      of: 'automation/workflows/orphans.tsx',
      at: '/console/workflows',
      open: ['Workflows without an owner'],
    },
    ...{ asks: '/v1/workflows', having: 'owner=gone', none: [no, 'Every workflow has an owner.'] },
    full: 'Every workflow has an owner.',
  },
  {
    ...{ of: 'automation/workflows/workflow-page.tsx', at: workflow, asks: '/v1/workflows/{workflow_id}' },
    full: heading('Reminder'),
  },
  {
    ...{ of: 'automation/workflows/workflow-page.tsx', at: workflow, asks: '/v1/workflows/node-types' },
    full: heading('Reminder'),
  },
  {
    ...{ of: 'automation/workflows/use-check.ts', at: workflow },
    ...{ asks: 'POST /v1/workflows/{workflow_id}/validate', full: 'The draft has no problems.' },
  },
  {
    ...{ of: 'automation/workflows/workflow-versions.tsx', at: workflow, open: ['Versions'] },
    ...{
      asks: '/v1/workflows/{workflow_id}/versions',
      none: [no, "This workflow hasn't been activated yet."],
    },
    full: (page) => page.getByRole('table', { name: 'Versions' }),
  },
  {
    ...{ of: 'automation/workflows/run-workflow.tsx', at: workflow, full: button('Run now') },
    open: ['Runs'],
    asks: '/v1/workflows/{workflow_id}/versions/{version_id}',
  },
  {
    ...{ of: 'automation/workflows/workflow-runs.tsx', at: `${workflow}?run={workflowRun}`, open: ['Runs'] },
    ...{ asks: '/v1/workflows/{workflow_id}/runs', none: [no, "This workflow hasn't run yet."] },
    full: (page) => page.getByRole('table', { name: 'Runs' }),
  },
  {
    ...{ of: 'automation/workflows/use-run.ts', at: `${workflow}?run={workflowRun}`, open: ['Runs'] },
    asks: '/v1/workflows/{workflow_id}/runs/{run_id}',
    full: (page) => page.getByRole('region', { name: 'Run', exact: true }),
  },
  {
    ...{ of: 'automation/workflows/approvals.tsx', at: `${workflow}?run={workflowRun}`, open: ['Runs'] },
    asks: '/v1/workflows/{workflow_id}/runs/{run_id}/approvals',
    ...{ given: had.approvals, full: 'Send it?' },
  },
  {
    ...{ of: 'automation/workflows/workflow-deliveries.tsx', at: workflow, open: ['Runs'] },
    ...{ asks: '/v1/workflows/{workflow_id}/deliveries', none: [no, 'There are no deliveries.'] },
    ...{ given: had.deliveries, full: 'ada@example.com' },
  },
  {
    ...{ of: 'automation/workflows/config/id-choice.tsx', at: workflow, asks: `${project}/playbooks` },
    ...{ doing: press('Edit The ask'), full: option('Orders') },
    none: [no, 'This project has no playbooks yet'],
  },
  {
    ...{ of: 'automation/workflows/config/ids-choice.tsx', at: workflow, asks: '/v1/tables' },
    ...{ doing: press('Edit The tests'), none: [{ tables: [] }, 'There are no tables yet'] },
    full: (page) => page.getByRole('checkbox', { name: 'orders' }),
  },
  {
    ...{ of: 'automation/workflows/new-trigger.tsx', at: workflow, open: ['Triggers', 'Add trigger'] },
    doing: (page) => page.getByRole('combobox', { name: 'Trigger', exact: true }).selectOption('data_event'),
    ...{ asks: `${project}/catalog-entries`, none: [no, 'No tables are attached to this project.'] },
    full: (page) => page.getByRole('checkbox', { name: 'orders' }),
  },
];

const analyst: Part[] = [
  {
    ...{ of: 'project/project-page.tsx', at: '/console/in-project/ask', asks: '/v1/projects' },
    ...{ none: [no, 'A project holds the files'], full: heading('Ask') },
  },
  {
    ...{ of: 'ask/conversations-page.tsx', at: '/console/projects/{project}/ask' },
    ...{ asks: `${project}/conversations`, none: [no, 'This project has no conversations yet.'] },
    ...{ given: had.conversations, full: link('About orders') },
  },
  {
    ...{ of: 'ask/attached.tsx', at: '/console/projects/{project}/ask' },
    ...{ open: ['Tables the analyst can read here'], asks: `${project}/catalog-entries` },
    ...{ none: [no, 'No tables yet. Attach one below.'], full: link('orders') },
  },
  {
    ...{ of: 'ask/attached.tsx', at: '/console/projects/{project}/ask' },
    ...{ open: ['Tables the analyst can read here'], asks: '/v1/tables', full: option('totals') },
  },
  {
    ...{ of: 'ask/use-transcript.ts', at: conversation, asks: talk },
    ...{ given: had.conversation, full: heading('About orders') },
  },
  {
    ...{ of: 'ask/tool-call.tsx', at: conversation, asks: `${talk}/results/{result_id}` },
    doing: (page) => page.getByText('query: Seven').click(),
    ...{ beside: talking, full: (page: Page) => page.getByRole('cell', { name: 'seven' }) },
    given: {
      data: {
        ...{ id: 'res_1', columns: [{ name: 'n', dataType: 'VARCHAR' }], rowCount: 1, truncated: false },
        ...{
          rows_with_column_order: [[{ name: 'n', value: 'seven' }]],
          elapsedMs: 1,
          scanned: { tables: [] },
        },
      },
      nextCursor: null,
    },
  },
  {
    ...{ of: 'ask/messages.tsx', at: conversation, asks: `${talk}/charts/{chart_id}`, beside: talking },
    given: {
      ...{ $schema: 'https://vega.github.io/schema/vega-lite/v5.json', mark: 'bar' },
      ...{ data: { values: [{ a: 1 }] }, encoding: { x: { field: 'a', type: 'quantitative' } } },
    },
    full: (page) => page.getByRole('img', { name: /Drawn/ }).first(),
  },
  {
    ...{ of: 'ask/approval.tsx', at: conversation, asks: `${talk}/approvals`, beside: talking },
    ...{ given: had.callApprovals, full: 'The analyst wants to use create_ticket' },
  },
  {
    ...{ of: 'reports/reports-page.tsx', at: '/console/projects/{project}/reports' },
    ...{ asks: `${project}/reports`, full: link('Nightly') },
    none: [no, 'This project has no reports yet.'],
  },
  {
    ...{ of: 'reports/report-page.tsx', at: report, asks: `${project}/reports/{report_id}` },
    full: heading('Nightly'),
  },
  {
    ...{ of: 'reports/report-page.tsx', at: report, asks: `${project}/reports/{report_id}/content` },
    full: 'Nothing new.',
  },
  {
    ...{ of: 'reports/read-tables.tsx', at: report, asks: '/v1/tables', given: had.tables },
    ...{ beside: { [`${project}/reports/{report_id}`]: had.report }, full: link('read_table') },
  },
  {
    ...{ of: 'reports/edit-report.tsx', at: report, asks: `${project}/reports/{report_id}/content` },
    ...{ having: 'format=raw', doing: press('Edit'), full: button('Save as new revision') },
  },
  {
    ...{ of: 'reports/versions.tsx', at: report, open: ['Revisions'], full: link('1') },
    ...{ asks: `${project}/reports/{report_id}/versions`, none: [no, 'There are no revisions.'] },
  },
];

const intake: Part[] = [
  {
    ...{ of: 'query/history.tsx', at: '/console/query', open: ['Query history'] },
    ...{
      asks: '/v1/query-executions',
      none: [no, "You haven't run a query yet."],
      full: link('SELECT 1 AS one'),
    },
  },
  {
    ...{ of: 'query/exports.tsx', at: '/console/query', open: ['Exports'], asks: '/v1/exports' },
    ...{ none: [no, 'You have no exports yet.'], given: had.exports, full: link('SELECT 7') },
  },
  {
    ...{ of: 'runs/exported-files.tsx', at: '/console/query', open: ['Exports'] },
    ...{ doing: press('Show files'), beside: { '/v1/exports': had.exports } },
    ...{ asks: '/v1/exports/{export_id}', given: { data: had.exports.items[0]! }, full: 'part-1.csv' },
  },
  {
    ...{ of: 'query/saved-queries.tsx', at: '/console/query', open: ['Saved queries'] },
    ...{ asks: `${project}/queries`, none: [no, 'This project has no saved queries yet.'] },
    full: link('Orders by city'),
  },
  {
    ...{ of: 'query/open-saved.tsx', at: '/console/query?query={query}&project={project}' },
    ...{ asks: `${project}/queries/{query_id}`, full: button('Types and defaults') },
  },
  {
    ...{ of: 'query/tables-side.tsx', at: '/console/query', asks: '/v1/tables/catalog' },
    full: button('orders'),
  },
  {
    ...{ of: [], at: '/console/query', asks: '/v1/views/catalog', full: button('by_city') },
  },
  {
    ...{ of: 'saved/add-to-dashboard.tsx', at: '/console/query?sql=SELECT%201' },
    ...{ open: ['Add to dashboard'], asks: `${project}/dashboards`, full: option('Board') },
  },
  {
    ...{ of: 'dashboards/dashboards-page.tsx', at: '/console/projects/{project}/dashboards' },
    ...{ asks: `${project}/dashboards`, full: link('Board') },
    none: [no, 'This project has no dashboards yet.'],
  },
  {
    ...{ of: 'dashboards/dashboard-page.tsx', at: board, full: heading('Board') },
    asks: `${project}/dashboards/{dashboard_id}`,
  },
  {
    ...{ of: 'dashboards/board-data.ts', at: board, full: (page) => page.getByText('as of') },
    asks: `POST ${project}/dashboards/{dashboard_id}/data`,
  },
  {
    ...{ of: 'dashboards/board.tsx', at: board, asks: `${project}/queries` },
    full: heading('Orders by city'),
  },
  {
    ...{ of: 'dashboards/edit-board.tsx', at: `${board}?edit=yes`, asks: `${project}/queries` },
    full: button('Move Orders by city'),
  },
  {
    ...{ of: 'dashboards/share.tsx', at: board, open: ['Share'], asks: '/v1/shares' },
    ...{ none: [no, 'This dashboard has no links yet.'], full: button('Revoke') },
  },
  {
    ...{ of: 'query/change-statement.tsx', at: '/console/query?sql=SELECT%201&of={view}&revision=1' },
    ...{ asks: '/v1/views/{view_id}', full: button('Save to by_city') },
  },
  {
    ...{ of: 'connections/connections-page.tsx', at: '/console/connections', asks: '/v1/connections/data' },
    ...{ none: [no, 'There are no connections yet.'], full: link('Shop') },
  },
  {
    ...{ of: 'connections/connections-page.tsx', at: '/console/connections', asks: '/v1/connections/app' },
    ...{ none: [no, 'There are no apps yet.'], full: link('Tickets') },
  },
  {
    ...{ of: 'connections/new-connection.tsx', at: '/console/connections' },
    ...{ open: ['Connect a data source'], asks: '/v1/connections/data/types', full: button('Connect') },
  },
  {
    ...{ of: 'connections/edit-connection.tsx', at: connection, open: ['Edit connection'] },
    ...{ asks: '/v1/connections/data/types', full: button('Save and test') },
  },
  {
    ...{ of: 'connections/connection-page.tsx', at: connection, asks: dataConnection },
    full: heading('Shop'),
  },
  {
    ...{ of: 'connections/datasets.tsx', at: connection, asks: `${dataConnection}/datasets` },
    none: [no, 'There are no datasets yet. Choose a resource below.'],
    ...{ given: had.datasets, full: (page: Page) => page.getByRole('rowheader', { name: 'orders' }) },
  },
  {
    ...{ of: 'connections/dataset/held-copies.tsx', at: connection, beside: datasets, isQuiet: true },
    ...{ asks: `${dataConnection}/snapshots`, given: had.snapshots },
    full: 'Held by its guard: shop_orders',
  },
  {
    ...{ of: 'connections/snapshots.tsx', at: connection, beside: datasets, open: ['Copies: orders'] },
    asks: `${dataConnection}/datasets/{dataset_id}/snapshots`,
    ...{ none: [no, "This dataset hasn't been copied yet."], given: had.snapshots, full: 'waiting for you' },
  },
  {
    ...{ of: 'connections/dataset/edit-dataset.tsx', at: connection, beside: datasets },
    ...{ open: ['Copy options of orders'], asks: `POST ${dataConnection}/resources` },
    ...{ given: had.resources, full: button('Save copy options') },
  },
  {
    ...{ of: 'connections/resources.tsx', at: connection, open: ['Resources'] },
    ...{ asks: `POST ${dataConnection}/resources`, none: [no, 'No resource has such a name.'] },
    ...{ given: had.resources, full: button('Start copying') },
  },
  {
    ...{ of: 'connections/resources.tsx', at: connection, open: ['Resources'], isQuiet: true },
    ...{
      asks: `${dataConnection}/datasets`,
      beside: { [`POST ${dataConnection}/resources`]: had.resources },
    },
    full: button('Start copying'),
  },
  {
    ...{ of: 'connections/app-connection-page.tsx', at: '/console/app-connections/{app}' },
    ...{ asks: '/v1/connections/app/{connection_id}', full: heading('Tickets') },
  },
  {
    ...{ of: 'connections/tools.tsx', at: '/console/app-connections/{app}' },
    ...{ asks: '/v1/connections/app/{connection_id}/tools', none: [no, 'The server lists no tools.'] },
    ...{ given: had.tools, full: 'Create a ticket' },
  },
  {
    ...{ of: 'runs/runs-page.tsx', at: '/console/projects/{project}/runs', asks: `${project}/runs` },
    ...{ none: [no, 'This project has no runs yet.'], full: link('Orders') },
  },
  {
    ...{ of: 'runs/run-page.tsx', at: '/console/projects/{project}/runs/{run}' },
    ...{ asks: `${project}/runs/{run_id}`, full: heading('Orders') },
  },
  {
    ...{ of: 'files/files-page.tsx', at: '/console/projects/{project}/files', asks: `${project}/files` },
    ...{ none: [no, 'This project has no files yet.'], full: link('Import orders.csv') },
  },
  {
    ...{ of: 'intake/preview.tsx', at: '/console/projects/{project}/import?file={file}' },
    ...{ asks: `${project}/files/{file_id}`, full: button('Import') },
  },
  {
    ...{ of: 'intake/preview.tsx', at: '/console/projects/{project}/import?file={file}' },
    ...{ asks: 'POST /v1/assets/{asset_id}/previews', full: button('Import') },
  },
  {
    ...{ of: 'intake/import-progress.tsx', at: '/console/projects/{project}/import?run=one' },
    ...{ asks: '/v1/table-imports/{import_id}', given: had.imported, full: '7 rows imported.' },
  },
];

const settings = '/console/settings';
const frame: Part[] = [
  {
    ...{ of: 'home/home-page.tsx', at: '/console/', asks: '/v1/tables', full: link('orders') },
    ...{ beside: { '/v1/views': { views: [] } }, none: [{ tables: [] }, 'There are no tables yet.'] },
  },
  {
    ...{ of: 'home/recent-runs.tsx', at: '/console/', asks: `${project}/runs`, full: link('Orders') },
    none: [no, 'Nothing has run yet.'],
  },
  {
    ...{ of: 'home/next-runs.tsx', at: '/console/', asks: '/v1/schedules', full: link('Each morning') },
    none: [no, 'Nothing is scheduled.'],
  },
  {
    ...{ of: 'shell/palette.tsx', at: settings, asks: '/v1/tables' },
    async doing(page) {
      await press('Search')(page);
      await page.getByRole('combobox', { name: /^Search pages/ }).fill('totals');
    },
    none: [{ tables: [] }, 'Nothing matches.'],
    full: (page) => page.getByRole('option', { name: /^totals/ }),
  },
  { ...{ of: 'settings/settings-page.tsx', at: settings, asks: '/v1/me', full: heading('Organization') } },
  {
    ...{ of: 'settings/organization.tsx', at: `${settings}/organization`, asks: '/v1/organization' },
    full: button('Switch organization'),
  },
  {
    ...{ of: 'settings/models.tsx', at: `${settings}/models`, asks: '/v1/models', full: 'Model of a test' },
    given: {
      items: [{ id: 'one', label: 'Model of a test', efforts: [], default: true }],
      nextCursor: null,
    },
  },
  {
    ...{
      of: 'settings/projects.tsx',
      at: `${settings}/projects`,
      asks: '/v1/projects',
      having: 'include_archived',
    },
    ...{
      none: [no, 'There are no projects yet.'],
      full: (page: Page) => page.getByRole('rowheader', { name: 'Sales' }),
    },
  },
  {
    ...{ of: 'settings/members.tsx', at: `${settings}/members`, asks: '/v1/members' },
    none: [no, 'There are no members.'],
    full: (page) => page.getByRole('rowheader', { name: 'Ada Lovelace' }),
  },
  {
    ...{ of: 'settings/invitations.tsx', at: `${settings}/invitations`, asks: '/v1/invitations' },
    ...{ none: [no, 'There are no open invitations.'], full: 'grace@example.com' },
  },
  {
    ...{ of: 'settings/clients.tsx', at: `${settings}/clients`, asks: '/v1/auth/m2m/clients' },
    ...{ none: [no, 'There are no API clients.'], full: 'Importer' },
  },
  {
    ...{ of: 'settings/lake.tsx', at: `${settings}/lake`, asks: '/v1/lake/credentials' },
    ...{ none: [no, 'There are no credentials.'], full: 'There are no credentials.' },
  },
  {
    ...{ of: 'settings/sessions.tsx', at: `${settings}/sessions`, asks: '/v1/auth/sessions' },
    ...{ none: [no, 'You have no sessions.'], full: 'console (this session)' },
  },
  {
    ...{ of: 'settings/audit.tsx', at: `${settings}/audit`, asks: '/v1/audit-events' },
    ...{ none: [no, 'No events match.'], full: (page: Page) => page.getByRole('rowheader').last() },
  },
];

export const parts: readonly Part[] = [
  ...data,
  ...verification,
  ...automation,
  ...analyst,
  ...intake,
  ...frame,
];

const named = 'a name in place of an id, which stands for it until it is read, and where it cannot be';
const ofAdmins = 'what only administrators see is left out until it is known who looks';
const onceDone = 'follows what was just done, beside the button that did it';

/** Queries that are not looked at: by their file, why. */
export const excepted: Readonly<Record<string, readonly string[]>> = {
  'parts/pages.tsx': ['the query of all lists, which are looked at one by one'],
  'session/me.ts': ['the query of whoever signed in, looked at where it is used'],
  'data/known.ts': ['the query of the catalog, looked at where it is used'],
  'shell/side.tsx': ['the frame has the name of the program until it has that of the organization'],
  'shell/person-menu.tsx': ['the name of whoever signed in, without which the frame is whole'],
  'shell/use-named.ts': ['what cannot be read is left out of the palette, which says that it is read'],
  'project/current.ts': ['without an answer, rooms are gone to by the page that asks for the projects'],
  'project/choice.tsx': ['a shortcut to other projects, shown where there are several'],
  'data/freshness.tsx': ['a word in a cell of a list; the page of the table tells what failed'],
  'data/table-name.tsx': [named],
  'data/row-count.tsx': ['the number of the rows that are shown below, by the same query'],
  'data/explore/explore.tsx': ['the columns of the answer that is shown below, by the same query'],
  'data/explore/spread.tsx': ['a picture in a head of the grid, which is whole without it'],
  'data/rows.tsx': ['further pages of rows, whose failure is told below those that are there'],
  'data/table-page.tsx': [ofAdmins],
  'data/verification.tsx': [ofAdmins],
  'verification/overlays.tsx': [named],
  'verification/tests-page.tsx': [ofAdmins],
  'verification/definition-form.tsx': ['columns to choose from; until they are known they are typed'],
  'automation/parameter-values.tsx': ['suggestions for a name of a table, which can be typed'],
  'automation/schedules/target.tsx': [named],
  'automation/schedules/schedule-page.tsx': [ofAdmins],
  'automation/workflows/workflows-page.tsx': [ofAdmins],
  'automation/workflows/trigger-when.tsx': [named],
  'automation/workflows/use-run.ts': [
    'which run is the newest: the list below asks for the same, and says it',
  ],
  'ask/use-model.ts': ['a choice of models; without it the default one of the service answers'],
  'query/query-page.tsx': ['names to complete a statement with, which can be typed'],
  'query/export-answer.tsx': [onceDone],
  'saved/value-input.tsx': ['values to choose from, which can be typed'],
  'dashboards/board-data.ts': ['looks whether a table has changed; the tiles have their own query'],
  'dashboards/edited-tile.tsx': ['the rows of a tile that is not stored, whose failure the tile tells'],
  'connections/copy-now.tsx': [onceDone],
  'connections/replication/secrets-again.tsx': [
    'labels of fields, which are called by their keys without it',
  ],
  'connections/dataset/held.tsx': [
    'how many rows there are, left out of a sentence where it is not known',
    'what the guard allows, left out of a sentence where it is not known',
  ],
  'runs/subject.tsx': [named],
  'runs/facts.tsx': [ofAdmins, 'an address elsewhere; without it the name of the process is no link'],
  'intake/waiting.tsx': ['names files beside a preview, which is whole without them'],
  'intake/attaching.tsx': ['follows an import that the page of the import shows too'],
};

/** Addresses that are read, and not looked at. */
export const exceptedAddresses: Readonly<Record<string, string>> = {
  [`${project}/dashboards/{dashboard_id}/content`]: 'a download, by a button that says what failed',
  '/v1/temporal-ui': 'an address elsewhere; without it the name of the process is no link',
  '/v1/tables/{table_id}/ingestion-batches/{batch_id}': onceDone,
  '/v1/grid/tables/{table_id}/runs/{run_id}': onceDone,
  '/v1/verification-tests/runs/{run_id}': onceDone,
  '/v1/connections/data/{connection_id}/datasets/{dataset_id}/snapshots/{run_id}': onceDone,
  '/v1/connections/data/{connection_id}/datasets/{dataset_id}':
    'what a guard allows, in a sentence that does without',
  [`${talk}/messages`]: 'older messages, by a button that says what failed',
  [`${project}/files/{file_id}/content`]: 'a download, by a button that says what failed',
};
