/**
 * How many of a thing one holder may have at a time. Beyond it, making another is refused with
 * `limit_reached`.
 */
export interface Quota {
  most: number;
  /** Who has them. */
  holder:
    | 'organization'
    | 'project'
    | 'person'
    | 'connection'
    | 'workflow'
    | 'report'
    | 'playbook'
    | 'network'
    | 'service';
  /** The things, in the plural. */
  what: string;
  /** What helps. */
  todo: string;
}

/** How large or how many something may be in one request, run or object. */
export interface Bound {
  most: number;
  unit?: 'bytes';
  /** What is bounded, as a sentence without its end: "Nodes of a workflow". */
  what: string;
}

const quota = (most: number, holder: Quota['holder'], what: string, todo: string): Quota => ({
  ...{ most, holder, what, todo },
});
const bound = (most: number, what: string): Bound => ({ most, what });
const bytes = (most: number, what: string): Bound => ({ most, unit: 'bytes', what });

const kib = 1_024;
const mib = 1_024 ** 2;
const gib = 1_024 ** 3;

/** What users and operators meet, by feature. */
export const limits = {
  identity: {
    apiClients: quota(500, 'organization', 'API clients', 'Revoke one first.'),
    invitations: quota(500, 'organization', 'open invitations', 'Delete one first.'),
    publicClients: quota(
      1_000,
      'service',
      'registered clients',
      'Those that nobody uses are removed after 30 days.',
    ),
    publicClientsOfNetwork: quota(20, 'network', 'registered clients', 'Unused ones end after 30 days.'),
    deviceLogins: bound(100, 'Device logins of one network that are waiting for a decision'),
  },
  files: {
    uploadBytes: bytes(gib, 'Size of an upload'),
    contentBytes: bytes(8 * mib, 'Size of a file that is sent as JSON, decoded'),
  },
  apps: {
    apps: quota(1_000, 'organization', 'apps', 'Remove one first.'),
  },
  connections: {
    dataConnections: quota(200, 'organization', 'data connections', 'Delete one first.'),
    datasets: quota(1_000, 'connection', 'datasets', 'Delete one first, or use another connection.'),
    policyResources: bound(100, 'Resources of a replication policy'),
    objects: bound(10_000, 'Files of one S3 snapshot'),
    rowBytes: bytes(16 * mib, 'Size of a row of a source'),
  },
  ingestion: {
    pages: bound(100_000, 'Pages of a batch'),
    recordsOfPage: bound(5_000, 'Records of a page; rows of one append'),
    recordsOfColumnPage: bound(200_000, 'Records of a page in Parquet or Arrow'),
  },
  tables: {
    icebergKeys: quota(200, 'organization', 'keys of Iceberg engines', 'Each ends after an hour.'),
    lakeCredentials: quota(20, 'organization', 'lake credentials', 'Revoke one first.'),
    columns: bound(500, 'Columns of a data table'),
    buildsUnderWay: bound(100, 'Builds of an organization that are running or waiting'),
  },
  postgres: {
    sessions: bound(50, 'PostgreSQL sessions of an organization, in each API process'),
    sessionsInAll: bound(200, 'PostgreSQL sessions of an API process'),
    messageBytes: bytes(
      4 * mib,
      'Size of a message of a PostgreSQL session, which has a statement or its values',
    ),
    prepared: bound(500, 'Prepared statements of a PostgreSQL session'),
    portals: bound(50, 'Portals of a PostgreSQL session'),
    cursors: bound(20, 'Cursors of a PostgreSQL session'),
    rows: bound(1_000_000, 'Rows of an answer in a PostgreSQL session'),
  },
  exports: {
    exports: quota(1_000, 'organization', 'exports', 'Each is removed a day after it was made.'),
    underWay: bound(100, 'Exports of an organization that are running or waiting'),
    files: bound(1_000, 'Files of one export'),
  },
  tests: {
    definitions: quota(2_000, 'organization', 'test definitions', 'Delete one first.'),
    overlays: quota(10_000, 'organization', 'test overlays', 'Delete one first.'),
    parameterBytes: bytes(
      8 * mib,
      'Size of the parameters of all definitions, or of all overlays, of an organization',
    ),
    underWay: bound(100, 'Test runs of an organization that are running or waiting'),
    tablesOfRun: bound(1_000, 'Tables of one test run'),
    testsOfRun: bound(10_000, 'Tests of one test run'),
    failingRows: bound(10_000, 'Rows in a table of failing rows'),
    failingBytes: bytes(gib, 'Size of a table of failing rows'),
  },
  schedules: {
    ofPlaybooks: quota(10_000, 'organization', 'schedules of playbooks', 'Delete one first.'),
    ofWorkflows: quota(10_000, 'organization', 'schedules of workflows', 'Remove one first.'),
    ofDatasets: quota(10_000, 'organization', 'schedules of datasets', 'Remove one first.'),
    backfillFires: bound(1_000, 'Runs of one backfill'),
  },
  workflows: {
    workflows: quota(1_000, 'person', 'workflows', 'Archive one first.'),
    versions: quota(10_000, 'workflow', 'versions', 'Make a new workflow.'),
    nodes: bound(100, 'Nodes of a workflow'),
    edges: bound(1_000, 'Edges of a workflow'),
    parameters: bound(50, 'Parameters of a workflow'),
    triggers: bound(20, 'Triggers of a workflow'),
    unfinishedRuns: bound(500, 'Unfinished workflow runs of an organization'),
    queuedRuns: bound(100, 'Queued workflow runs of an organization'),
    runsAtWork: bound(32, 'Active workflow runs of an organization; further ones are queued'),
  },
  reports: {
    reports: quota(2_000, 'project', 'reports', 'Delete one first.'),
    revisions: quota(1_000, 'report', 'revisions', 'Store it as a new report.'),
    contentBytes: bytes(2 * mib, 'Size of the Markdown of a report'),
    results: bound(100, 'Charts and results of a report'),
    resultBytes: bytes(32 * mib, 'Size of all charts and results of a report'),
    images: bound(100, 'Images of a report'),
    imageBytes: bytes(5 * mib, 'Size of an image of a report'),
    imagesBytes: bytes(20 * mib, 'Size of all images of a report'),
  },
  savedQueries: {
    queries: quota(2_000, 'project', 'saved queries', 'Delete one first.'),
    parameters: bound(50, 'Parameters of a saved query'),
    listItems: bound(100, 'Values of a list parameter'),
  },
  dashboards: {
    dashboards: quota(1_000, 'project', 'dashboards', 'Delete one first.'),
    tiles: bound(50, 'Tiles of a dashboard'),
    filters: bound(20, 'Filters of a dashboard'),
    tileRows: bound(2_000, 'Rows of a tile'),
  },
  shares: {
    shares: quota(1_000, 'organization', 'open shares', 'Revoke one first.'),
    embedOrigins: bound(10, 'Origins that can show a share in a frame'),
  },
  playbooks: {
    playbooks: quota(1_000, 'project', 'playbooks', 'Delete one first.'),
    revisions: quota(1_000, 'playbook', 'revisions', 'Write it as a new playbook.'),
  },
  conversations: {
    waitingMessages: bound(50, 'Waiting messages of a conversation'),
    unfinishedRuns: bound(200, 'Unfinished runs of the analyst in an organization'),
  },
  appConnections: {
    appConnections: quota(50, 'organization', 'app connections', 'Delete one first.'),
    headers: bound(20, 'Headers of an app connection'),
    tools: bound(100, 'Tools of an app connection'),
    inputBytes: bytes(64 * kib, 'Size of the input of a tool call'),
  },
} as const satisfies Record<string, Record<string, Quota | Bound>>;
