import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ServiceProcess {
  /** What it said when it was ready: its ports. */
  ready: { port?: number; metricsPort?: number; healthPort?: number };
  /** What it wrote so far. */
  log(): string;
  /** Ends it as an orchestrator does; gives the time that took. */
  stop(): Promise<{ code: number | null; tookMs: number }>;
}

/** Starts the API or the worker as in production, on free ports of loopback. */
export async function startServiceProcess(
  name: 'api' | 'worker',
  environment: NodeJS.ProcessEnv,
): Promise<ServiceProcess> {
  const script = fileURLToPath(new URL(`../../${name}/main.ts`, import.meta.url));
  const child = fork(script, [], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: '0',
      HEALTH_PORT: '0',
      DRAIN_SECONDS: '0',
      LOG_LEVEL: 'info',
      ...environment,
    },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  const exited = once(child, 'exit');
  const ready = await Promise.race([
    once(child, 'message').then(([message]) => message as ServiceProcess['ready']),
    exited.then(() => {
      throw new Error(`The ${name} ended before it was ready:\n${log}`);
    }),
  ]);
  return {
    ready,
    log: () => log,
    async stop() {
      const startedMs = performance.now();
      child.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      return { code, tookMs: performance.now() - startedMs };
    },
  };
}
