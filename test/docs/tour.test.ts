import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

let dataDir: string;
let client: TestClient;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tour-'));
  client = await workspace.organization();
  await workspace.app.listen({ port: 0, host: '127.0.0.1' });
  await describeStack(client.clientSecret);
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** What `npm start` leaves in its data directory. */
async function describeStack(clientSecret: string): Promise<void> {
  const address = workspace.app.server.address() as { port: number };
  const state = { apiUrl: `http://127.0.0.1:${address.port}`, clientId: client.clientId, clientSecret };
  await writeFile(join(dataDir, 'local.json'), JSON.stringify(state));
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs it somewhere else than in the repository, so that only the variable can lead it to the stack. */
function tour(folder: string, name = 'tour.sh', given: readonly string[] = []): Promise<Ended> {
  const script = fileURLToPath(new URL(`../../docs/examples/${name}`, import.meta.url));
  const env = { ...process.env, WORKSPACE_DATA_DIR: folder };
  return new Promise((resolve) => {
    execFile('sh', [script, ...given], { cwd: tmpdir(), env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** The tour needs it, the service does not. */
const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe.skipIf(!hasCurl)('the tour', () => {
  test('goes from a token to a join, and stops where something is in the way', {
    timeout: 120_000,
  }, async () => {
    const { code, stdout, stderr } = await tour(dataDir);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('uploaded: 204');
    expect(stdout).toContain('"status":"succeeded"');
    expect(stdout).toMatch(/"city":"Lagos","orders":100000/);
    expect(stdout).toMatch(/"city":"Osaka","target":8000000,"total":/);

    const again = await tour(dataDir);
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain('The tour ends here');
    expect(again.stdout).not.toContain('4. A question.');
  });

  test('runs a playbook with a parameter, and reads its report in four formats', {
    timeout: 120_000,
  }, async () => {
    const { code, stdout, stderr } = await tour(dataDir, 'playbook.sh', [dataDir]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // Of 2,400 sales of 1 to 40 in three regions in turn, those of nine months.
    expect(stdout).toContain('succeeded');
    expect(stdout).toContain('## Over time');
    expect(stdout).toMatch(/draw_chart: Drew/);
    expect(stdout).toMatch(/sales\.pdf: \d{4,} bytes/);
    expect(stdout).toMatch(/sales\.docx: \d{4,} bytes/);
    expect(stdout).toContain('playbook succeeded: Sales since 2026-04-01');
    expect(stdout).toContain('import succeeded');
  });

  test('talks with the analyst: an answer, a Stop, a queue that is held, changed and resumed', {
    timeout: 120_000,
  }, async () => {
    const { code, stdout, stderr } = await tour(dataDir, 'talk.sh');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // Of 3,000 visits of three cities in turn, with 1 to 50 guests.
    expect(stdout).toMatch(/\| Lagos \| 25500 \|/);
    expect(stdout).toMatch(/"status":"cancelled","queueHeld":true/);
    expect(stdout).toContain('"held":true');
    expect(stdout).toMatch(/maximum.*\*\*50\*\*/i);
    expect(stdout).toMatch(/\*\*1000\*\*/);
    expect(stdout).toMatch(/\d+ text\.delta/);
    expect(stdout).toMatch(/4 turn\.finished/);
  });

  test('says which stack it did not find', async () => {
    const { code, stderr } = await tour(join(dataDir, 'nowhere'));
    expect(code).toBe(1);
    expect(stderr).toContain(`No stack is running on ${join(dataDir, 'nowhere')}`);
  });

  test('stops without a token', async () => {
    await describeStack('wrong');
    const { code, stdout, stderr } = await tour(dataDir);
    expect(code).toBe(1);
    expect(stderr).toContain('invalid_client');
    expect(stdout).toBe('1. A token.\n');
  });
});
