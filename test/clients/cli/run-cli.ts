import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../clients/cli/src/main.ts', import.meta.url));

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface CliOptions {
  env?: Record<string, string>;
  cwd?: string;
  input?: string;
  /** Called with what is printed on stderr so far. */
  onErr?: (text: string) => void;
  /** Stops the command as Ctrl-C does. */
  stop?: AbortSignal;
}

/** Runs one command to its end, as a shell would; without a terminal. */
export function runCli(
  args: readonly string[],
  { env = {}, cwd, input, onErr, stop }: CliOptions,
): Promise<Ended> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent', ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  stop?.addEventListener('abort', () => child.kill('SIGINT'));
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    onErr?.(err);
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
