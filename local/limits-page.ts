import { writeFileSync } from 'node:fs';
import { type Bound, limits, type Quota } from '../domain/workspace/limits/limits.ts';

const titles: Readonly<Record<keyof typeof limits, string>> = {
  identity: 'People and programs',
  files: 'Files',
  apps: 'Apps',
  connections: 'Connections and datasets',
  ingestion: 'Ingestion',
  tables: 'Tables',
  postgres: 'PostgreSQL sessions',
  exports: 'Exports',
  tests: 'Tests',
  schedules: 'Schedules',
  workflows: 'Workflows',
  reports: 'Reports',
  savedQueries: 'Saved queries',
  dashboards: 'Dashboards',
  shares: 'Shares',
  playbooks: 'Playbooks',
  conversations: 'Conversations',
  appConnections: 'App connections',
};

/** docs/limits.md, made from the table. */
export function limitsPage(): string {
  const sections = Object.entries(limits).map(([feature, entries]) => {
    const rows = Object.values<Quota | Bound>(entries).map(
      (entry) => `| ${labelOf(entry)} | ${shown(entry)} |`,
    );
    return [
      `## ${titles[feature as keyof typeof limits]}`,
      '',
      '| What | Limit |',
      '|---|---|',
      ...rows,
    ].join('\n');
  });
  return `# Limits

A quota says how many of something you can have. When you reach it, the request is a 409 \`limit_reached\`. The problem's
\`limit\` is the quota, and \`current\` is how many you have. Delete something and send the request again; waiting doesn't help.
Quotas are the rows that say who has the things, such as "API clients of an organization".

The other rows are limits of one request, run or object. The error says which field is too large, or that you have to wait.

The operator sets other limits, such as requests per minute and the memory of queries: see
[Configure](operating/configure.md).

${sections.join('\n\n')}
`;
}

const labelOf = (entry: Quota | Bound): string =>
  'holder' in entry ? `${capitalized(entry.what)} of ${article(entry.holder)}` : entry.what;

const article = (holder: Quota['holder']): string =>
  holder === 'service' ? 'the service' : holder === 'organization' ? 'an organization' : `a ${holder}`;

const capitalized = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

function shown(entry: Quota | Bound): string {
  if (!('unit' in entry)) return entry.most.toLocaleString('en-US');
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let value = entry.most;
  let unit = 0;
  while (value % 1_024 === 0 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${value} ${units[unit]}`;
}

if (import.meta.main) writeFileSync(new URL('../docs/limits.md', import.meta.url), limitsPage());
