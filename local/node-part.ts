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

/** A part with the ports that it has chosen. */
export type NodePartHandle = PartHandle & {
  metricsPort: number;
  /** For PostgreSQL's clients; undefined if the part doesn't serve them. */
  postgresPort?: number | undefined;
};

interface ReadyMessage {
  ready: true;
  metricsPort?: number;
  postgresPort?: number;
  /** Of a worker, which shows its metrics there. */
  healthPort?: number;
}

const readyTimeoutMs = 60_000;

/**
 * Starts `api/main.ts` or `worker/main.ts` as in production, plus a message channel on which it sends
 * `{ready: true}` and its ports. If the channel closes because this process was killed, the part ends by itself.
 */
export async function startNodePart(
  options: NodePartOptions,
  previous: NodePartHandle | undefined,
): Promise<NodePartHandle> {
  const { name, logFile } = options;
  const script = join(repositoryDir, name, 'main.ts');
  const { handle, child } = launchPart({
    name,
    command: process.execPath,
    args: ['--enable-source-maps', script, markerOf(options.stackDir)],
    environment: {
      ...processEnvironment,
      ...options.environment,
      ...(previous === undefined ? {} : samePort(previous)),
    },
    workingDir: repositoryDir,
    logFile,
    stopSignal: 'SIGTERM',
    channel: true,
  });
  let said: ReadyMessage | undefined;
  child.on('message', (message) => {
    if (typeof message === 'object' && message !== null && 'ready' in message)
      said ??= message as ReadyMessage;
  });
  await untilReady(handle, { logFile, timeoutMs: readyTimeoutMs, probe: async () => said !== undefined });
  return {
    ...handle,
    metricsPort: said?.metricsPort ?? said?.healthPort ?? 0,
    postgresPort: said?.postgresPort,
  };
}

/** Whoever watches a part finds it again after a restart. */
const samePort = ({ name, metricsPort, postgresPort }: NodePartHandle) => ({
  ...(postgresPort === undefined ? {} : { PG_PORT: String(postgresPort) }),
  [name === 'api' ? 'METRICS_PORT' : 'HEALTH_PORT']: String(metricsPort),
});

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
