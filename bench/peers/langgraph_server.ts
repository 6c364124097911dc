/**
 * LangGraph's own local server, `langgraph dev`, with the graph of `langgraph/graph.py`, on a free port of
 * 127.0.0.1.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface LangGraphServer {
  url: string;
  pid: number;
  close(): Promise<void>;
}

export interface LangGraphOptions {
  /** Concurrent runs, `--n-jobs-per-worker`; without it the command's own default, which is 1. */
  jobs?: number;
}

const source = fileURLToPath(new URL('./langgraph/', import.meta.url));
const python = process.env['PYTHON'] ?? 'python3';
const startTimeoutMs = 60_000;
const endTimeoutMs = 15_000;
const run = promisify(execFile);

/** No tracing, analytics or version checks: nothing of that may leave the machine. */
const quiet = {
  LANGSMITH_TRACING: 'false',
  LANGSMITH_TRACING_V2: 'false',
  LANGCHAIN_TRACING: 'false',
  LANGCHAIN_TRACING_V2: 'false',
  LANGGRAPH_CLI_NO_ANALYTICS: '1',
  LANGGRAPH_NO_VERSION_CHECK: 'true',
  LOG_LEVEL: 'WARNING',
};

/** The server keeps its state in its working directory, which is created for it and removed with it. */
export async function startLangGraph({ jobs }: LangGraphOptions = {}): Promise<LangGraphServer> {
  const environment = await installEnvironment();
  const folder = await mkdtemp(join(tmpdir(), 'bench-langgraph-run-'));
  for (const file of ['graph.py', 'langgraph.json']) await copyFile(join(source, file), join(folder, file));
  const port = await findFreePort();
  const log = join(folder, 'server.log');
  const output = openSync(log, 'w');
  const child = spawn(
    join(environment, 'bin', 'langgraph'),
    [
      ...['dev', '--no-browser', '--no-reload', '--host', '127.0.0.1', '--port', String(port)],
      ...(jobs === undefined ? [] : ['--n-jobs-per-worker', String(jobs)]),
    ],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...quiet },
      stdio: ['ignore', output, output],
    },
  );
  closeSync(output);
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const url = `http://127.0.0.1:${port}`;
  const close = async () => {
    process.off('exit', endWithUs);
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilItAnswers(url, child);
  } catch (error) {
    const said = await readFile(log, 'utf8').catch(() => '');
    await close();
    throw new Error(`langgraph dev: ${String(error)}\n${said.slice(-4_000)}`);
  }
  return { url, pid: child.pid!, close };
}

/** A virtual environment with the pinned requirements, kept in the temporary directory for the next time. */
async function installEnvironment(): Promise<string> {
  const requirements = join(source, 'requirements.txt');
  const hash = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  const environment = join(tmpdir(), `bench-langgraph-${hash.slice(0, 16)}`);
  const stamp = join(environment, '.installed');
  if (existsSync(stamp)) return environment;
  console.error(`Installing the pinned requirements into ${environment} …`);
  await run(python, ['-m', 'venv', '--clear', environment]);
  await run(join(environment, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '-r', requirements]);
  await writeFile(stamp, '');
  return environment;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function waitUntilItAnswers(url: string, child: ChildProcess): Promise<void> {
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  for (const startedMs = Date.now(); Date.now() - startedMs < startTimeoutMs; await delay(100)) {
    if (failure) throw failure;
    if (hasEnded(child)) throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`);
    const answer = await fetch(`${url}/ok`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok) return;
  }
  throw new Error(`no answer within ${startTimeoutMs / 1_000} s`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const isLate = await Promise.race([ended.then(() => false), delay(endTimeoutMs, true, { ref: false })]);
  if (!isLate) return;
  child.kill('SIGKILL');
  await ended;
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;
