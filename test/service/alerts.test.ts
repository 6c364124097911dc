import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { instruments } from '../../data/telemetry/instruments.ts';
import { observe, observeDeployment } from '../../service/telemetry/observe.ts';
import { scrapedName } from '../../service/telemetry/scrape.ts';
import { readYaml } from '../support/yaml.ts';
import '../../api/app.ts';
import '../../service/open.ts';
import '../../worker/activities.ts';
import '../../worker/core-metrics.ts';
import '../../worker/reconciler.ts';
import '../../worker/steps.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const textOf = (path: string) => readFileSync(pathOf(path), 'utf8');
const folder = pathOf('deploy/prometheus');
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd: folder });

interface Rule {
  alert: string;
  expr: string;
  annotations: Record<string, string>;
}
const { groups } = readYaml<{ groups: { rules: Rule[] }[] }>(textOf('deploy/prometheus/alerts.yaml'));
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(textOf('deploy/grafana/workspace.json')) as {
  panels: { title: string; targets?: { expr: string }[] }[];
};

/** What Prometheus knows: by the name in the page, every name that a query may use. */
function exported(): Map<string, string[]> {
  const nothing = { lake: {}, staging: {}, queries: {}, builds: {} } as never;
  observe({ service: nothing, pools: {} }, {});
  observeDeployment({ service: nothing });
  return new Map(
    instruments().map(({ name, unit, type }) => {
      const base = scrapedName(name, unit).replaceAll('.', '_');
      if (type === 'counter') return [`${base}_total`, [`${base}_total`]];
      if (type === 'gauge') return [base, [base]];
      return [base, ['bucket', 'sum', 'count'].map((part) => `${base}_${part}`)];
    }),
  );
}

const namesIn = (expression: string) =>
  expression
    .replaceAll(/\{[^}]*\}|\b(?:by|on|group_left) ?\([^)]*\)/g, '')
    .match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
const functions = new Set(['histogram_quantile', '__rate_interval', 'rate_interval']);

test('rules and the dashboard name metrics that the service has', () => {
  const known = new Set([...exported().values()].flat());
  const queries = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [title, expr] as const),
    ),
  ];
  expect(queries.length).toBeGreaterThan(40);
  for (const [where, expr] of queries) {
    const named = namesIn(expr).filter((name) => !functions.has(name));
    expect(named.length > 0 || expr.startsWith('up{'), where).toBe(true);
    for (const name of named) expect([...known], where).toContain(name);
  }
});

test('the page has every metric, and no other', () => {
  const rows = [...textOf('docs/operating/metrics.md').matchAll(/^\| `([a-z_]+)` \|/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual([...exported().keys()].sort());
});

test('every variable of telemetry is in the page of the configuration', async () => {
  const { telemetryEnvironment } = await import('../../service/telemetry/config.ts');
  const page = textOf('docs/operating/configure.md');
  for (const name of ['METRICS_PORT', ...Object.keys(telemetryEnvironment.shape)])
    expect(page, name).toContain(`\`${name}\``);
});

describe('an alert', () => {
  test.each(rules)('$alert says what it is and where the page about it is', ({ annotations }) => {
    expect(Object.keys(annotations).sort()).toEqual(['description', 'page', 'summary']);
    const [page, anchor] = annotations['page']!.split('#');
    const headings = [...textOf(page!).matchAll(/^## (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(headings).toContain(anchor);
  });

  test('has a test of its own', () => {
    const { tests } = readYaml<{ tests: { name: string }[] }>(textOf('deploy/prometheus/alerts.test.yaml'));
    for (const { alert } of rules) expect(tests.map(({ name }) => name)).toContain(alert);
  });
});

describe.skipIf(!hasPromtool)('promtool (skipped where it is not installed)', () => {
  test('accepts the rules', async () => {
    const { stdout } = await promtool('check', 'rules', 'alerts.yaml');
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  test('sees each alert fire where it should, and none for a healthy service', async () => {
    const { stdout } = await promtool('test', 'rules', 'alerts.test.yaml');
    expect(stdout).toContain('SUCCESS');
  });
});
