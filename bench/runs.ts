/**
 * Listing a project's runs when there are many: the first page, a late page, and by a rare status.
 *
 *   npm start     (in another terminal)
 *   node bench/runs.ts [runs] [requests]
 */
import pg from 'pg';
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import { openApi, quantile, readStack } from './workspace.ts';

const [runs = 100_000, requests = 200] = process.argv.slice(2).map(Number);
const stack = readStack();
const made = await provisionOrganization({ DATABASE_URL: stack.databaseUrl }, { name: 'Bench of runs' });
const api = await openApi({ ...stack, ...made });
const { data: project } = await api.json<{ data: { id: string } }>('POST', '/v1/projects', { name: 'Bench' });
await insertRuns();
const list = `/v1/projects/${project.id}/runs`;
const far = await pageAt(20);

for (const [what, url] of [
  ['the first page', list],
  ['200 items', `${list}?limit=200`],
  ['the 21st page of 200', far],
  ['imports alone', `${list}?kind=import`],
  ['the one that failed', `${list}?status=failed`],
] as const) {
  const times: number[] = [];
  for (let request = 0; request < requests; request += 1) {
    const startedMs = performance.now();
    await api.json('GET', url);
    times.push(performance.now() - startedMs);
  }
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)].map((ms) => ms.toFixed(1));
  process.stdout.write(`${what.padEnd(24)} p50 ${p50} ms, p99 ${p99} ms\n`);
}

async function insertRuns(): Promise<void> {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  await client.query(
    `INSERT INTO runs (organization_id, id, project_id, kind, status, trigger_type, trigger_id, title, steps, resource_type,
        resource_id, workflow_id, created_at, finished_at)
      SELECT $1, 'run_' || n, $2, CASE WHEN n % 2 = 0 THEN 'import' ELSE 'playbook' END,
        CASE WHEN n = 1 THEN 'failed' ELSE 'succeeded' END, 'api', 'bench', 'Run ' || n,
        '[{"id":"read","name":"Read the file","type":"read","status":"succeeded","detail":null,"startedAt":null,"finishedAt":null,"error":null}]',
        'playbook', 'pbk_1', 'agent-run/run_' || n, now() - make_interval(secs => $3 - n), now()
      FROM generate_series(1, $3::int) AS n`,
    [made.organizationId, project.id, runs],
  );
  await client.query('ANALYZE runs');
  await client.end();
}

async function pageAt(pages: number): Promise<string> {
  let url = `${list}?limit=200`;
  for (let page = 0; page < pages; page += 1) {
    const { nextCursor } = await api.json<{ nextCursor: string }>('GET', url);
    url = `${list}?limit=200&cursor=${nextCursor}`;
  }
  return url;
}
