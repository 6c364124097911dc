import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { namesOf, variablesOfFiles } from '../support/deployment-files.ts';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();

/** Variables that API or worker read. */
const known = new Set(
  ['data/stores-config.ts', 'api/config.ts', 'worker/config.ts', 'domain/analyst/models/config.ts'].flatMap(
    (file) => [...readFileSync(file, 'utf8').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!),
  ),
);
/** Those of Node, ICU, the C library and the system. */
const others =
  /^(NODE_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|PATH|ICU_TIMEZONE_FILES_DIR|MALLOC_\w+|OTEL_\w+)$/;

test('what the deployment files set are variables that the processes read', () => {
  const set = variablesOfFiles();
  for (const [file, names] of set) {
    expect(
      names.filter((name) => !known.has(name) && !others.test(name)),
      file,
    ).toEqual([]);
  }
  expect(set.get('deploy/service.env.example')).toContain('DATABASE_URL');
  expect(set.get('deploy/systemd/analytics-workspace-worker.service')).toContain('HEALTH_PORT');
  expect(set.get('Dockerfile')).toContain('MALLOC_TRIM_THRESHOLD_');
  expect(set.get('deploy/compose/compose.yaml')).toContain('TRUSTED_PROXIES');
  expect(set.get('deploy/helm/analytics-workspace/values.yaml')).toContain('RATE_LIMIT_STORE');
  const templates = set.get('deploy/helm/analytics-workspace/templates/deployments.yaml');
  expect(templates).toEqual(['PORT', 'HEALTH_PORT', 'METRICS_PORT', 'PG_PORT', 'WORK_DIR']);
});

test('the settings of memory are in the image as the documentation has them', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  const documented = readFileSync('docs/operating/scale.md', 'utf8').match(/^MALLOC_\w+=\d+$/gm);
  expect(documented).toHaveLength(3);
  for (const setting of documented!) expect(dockerfile).toContain(setting);
  expect(namesOf('docs/operating/scale.md')).toHaveLength(3);
});

test('the release is the same wherever it is told', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect((await workspace.call('GET', '/healthz')).body).toEqual({ status: 'ok', release: version });
  expect((await workspace.call('GET', '/openapi.json')).body.info['x-release']).toBe(version);
  expect(readFileSync('CHANGELOG.md', 'utf8')).toMatch(/^## /m);
  expect(readFileSync('Dockerfile', 'utf8')).toContain(`ARG VERSION=${version}\n`);
  expect(readFileSync('deploy/compose/compose.yaml', 'utf8')).toContain(`analytics-workspace:${version}}`);
  const chart = readFileSync('deploy/helm/analytics-workspace/Chart.yaml', 'utf8');
  expect(chart).toContain(`\nappVersion: ${version}\n`);
});
