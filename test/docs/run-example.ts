import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testStores } from '../support/stores.ts';
import type { TestClient, Workspace } from '../support/workspace.ts';

/** Needed by the examples, not by the service. */
export const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** Writes the file that `npm start` leaves in its data directory. */
export async function describeStack(
  dataDir: string,
  { app }: Workspace,
  { clientId, clientSecret }: Pick<TestClient, 'clientId' | 'clientSecret'>,
): Promise<void> {
  const address = app.server.address() as { port: number };
  const apiUrl = `http://127.0.0.1:${address.port}`;
  const { databaseUrl } = testStores();
  await writeFile(
    join(dataDir, 'local.json'),
    JSON.stringify({ apiUrl, clientId, clientSecret, databaseUrl }),
  );
}

export interface EndedExample {
  code: number;
  stdout: string;
  /** With the end of what a failed example printed, which has the answer that stopped it. */
  stderr: string;
}

/** Runs it outside the repository, so that only the variable can lead it to the stack. */
export function runExample(
  dataDir: string,
  name: string,
  given: readonly string[] = [],
): Promise<EndedExample> {
  const script = fileURLToPath(new URL(`../../docs/examples/${name}`, import.meta.url));
  const env = { ...process.env, WORKSPACE_DATA_DIR: dataDir };
  return new Promise((resolve) => {
    execFile('sh', [script, ...given], { cwd: tmpdir(), env }, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr });
      else resolve({ code: Number(error.code), stdout, stderr: `${stderr}${stdout.slice(-2_000)}` });
    });
  });
}
