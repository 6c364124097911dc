import { join } from 'node:path';
import { processEnvironment } from '../data/process-environment.ts';
import { repositoryDir } from './config.ts';
import { endOrphans } from './orphans.ts';
import { launchPart, type PartHandle, untilReady } from './part.ts';

export type NodePartOptions = {
  name: 'api' | 'worker';
  environment: NodeJS.ProcessEnv;
  /** Data directory of the whole stack; passed as an argument, it identifies the stack's processes. */
  stackDir: string;
  logFile: string;
};

const readyTimeoutMs = 60_000;

/**
 * Starts `api/main.ts` or `worker/main.ts` as in production, plus a message channel on which it sends
 * `{ready: true}`. If the channel closes because this process was killed, the part ends by itself.
 */
export async function startNodePart(options: NodePartOptions): Promise<PartHandle> {
  const { name, logFile } = options;
  const script = join(repositoryDir, name, 'main.ts');
  const { handle, child } = launchPart({
    name,
    command: process.execPath,
    args: ['--enable-source-maps', script, markerOf(options.stackDir)],
    environment: { ...processEnvironment, ...options.environment },
    workingDir: repositoryDir,
    logFile,
    stopSignal: 'SIGTERM',
    channel: true,
  });
  let isReady = false;
  child.on('message', (message) => {
    isReady ||=
      typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
  });
  await untilReady(handle, { logFile, timeoutMs: readyTimeoutMs, probe: async () => isReady });
  return handle;
}

/**
 * Ends an API and worker left by an earlier run that was killed, if they did not notice the closed channel.
 */
export async function endNodeOrphans(stackDir: string): Promise<void> {
  const marker = markerOf(stackDir);
  await endOrphans({ isOurs: (seen) => seen.args.includes(marker), signal: 'SIGTERM' });
}

function markerOf(stackDir: string): string {
  return `--stack=${stackDir}`;
}
