import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryDir } from './config.ts';
import { programEnvironment } from './host-environment.ts';
import { endOrphans } from './orphans.ts';
import { launchPart, type PartHandle, untilReady } from './part.ts';
import { keptPorts } from './ports.ts';

export type MailCatcherHandle = PartHandle & {
  name: 'mail';
  port: number;
  /** For `SMTP_URL`. */
  smtpUrl: string;
  pagePort: number;
  /** Address of the page that shows its mails. */
  pageUrl: string;
};

export type MailCatcherOptions = {
  /** Directory used by this part only. */
  dataDir: string;
  logFile: string;
  port?: number | undefined;
  pagePort?: number | undefined;
};

const readyTimeoutMs = 30_000;
/** For the stored mails and one being read. */
const memoryMib = 256;

/** Starts a mail server on loopback that forwards nothing, after ending one left by an earlier run. */
export async function startMailCatcher(options: MailCatcherOptions): Promise<MailCatcherHandle> {
  const { dataDir, logFile } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const marker = `--of=${dataDir}`;
  const script = join(repositoryDir, 'local', 'mail-catcher', 'main.ts');
  await endOrphans({
    isOurs: ({ args }) => args.includes(script) && args.includes(marker),
    signal: 'SIGTERM',
  });
  const ports = await keptPorts(dataDir, ['smtp', 'page'], {
    ...(options.port === undefined ? {} : { smtp: options.port }),
    ...(options.pagePort === undefined ? {} : { page: options.pagePort }),
  });
  const { handle, child } = launchPart({
    name: 'mail',
    command: process.execPath,
    args: [
      `--max-old-space-size=${memoryMib}`,
      script,
      `--smtp=${ports.smtp}`,
      `--page=${ports.page}`,
      marker,
    ],
    environment: programEnvironment(),
    workingDir: dataDir,
    logFile,
    stopSignal: 'SIGTERM',
    channel: true,
  });
  let isReady = false;
  child.on('message', () => {
    isReady = true;
  });
  await untilReady(handle, { logFile, timeoutMs: readyTimeoutMs, probe: async () => isReady });
  return {
    ...handle,
    name: 'mail',
    port: ports.smtp,
    smtpUrl: `smtp://127.0.0.1:${ports.smtp}`,
    pagePort: ports.page,
    pageUrl: `http://127.0.0.1:${ports.page}`,
  };
}
