import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const version = '3.22.0';
const cached = resolve(`node_modules/.cache/helm-${version}`);
const buildTimeoutMs = 500_000;
const run = promisify(execFile);

const found = (program: string, ...folders: string[]): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), ...folders]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));

/** The machine's Helm, or one that is built by its Go. The reason is told where neither can be had. */
export async function findHelm(): Promise<{ helm: string } | { missing: string }> {
  const helm = found('helm', cached);
  if (helm !== undefined) return { helm };
  const go = found('go', '/usr/local/go/bin');
  if (go === undefined) return { missing: 'neither Helm nor Go is on this machine' };
  try {
    await run(go, ['install', `helm.sh/helm/v3/cmd/helm@v${version}`], {
      env: { ...process.env, GOBIN: cached, GOTOOLCHAIN: 'local', GOFLAGS: '' },
      timeout: buildTimeoutMs,
    });
    return { helm: join(cached, 'helm') };
  } catch (error) {
    const [reason] = (error as { stderr?: string }).stderr?.trim().split('\n').slice(-1) ?? [];
    return { missing: `Go could not build Helm: ${reason ?? (error as Error).message}` };
  }
}

/** @throws Error with what Helm reported */
export async function runHelm(helm: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(helm, args, { maxBuffer: 10_000_000 });
  return stdout;
}
