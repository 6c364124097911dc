import type { Command } from 'commander';
import {
  type Auth,
  accessToken,
  clientCredentials,
  createWorkspace,
  login,
  type Workspace,
} from '../../typescript/src/index.ts';
import { exitCodes, Failure } from './failure.ts';
import { createOutput, type Output } from './output.ts';
import { type Profile, readProfile, tokenStore, variable } from './profile.ts';

export const defaultUrl = 'http://127.0.0.1:8080';

/** What every command works with. */
export interface Context {
  workspace: Workspace;
  output: Output;
  /** Aborts at Ctrl-C. */
  signal: AbortSignal;
  /** The project that was named, else the chosen one, else the only one. */
  project(): Promise<string>;
}

interface Common {
  url?: string;
  project?: string;
  json?: boolean;
  color: boolean;
}

export function outputOf(command: Command): Output {
  const { json = false, color } = command.optsWithGlobals<Common>();
  const colors = color && process.stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
  return createOutput({ json, colors });
}

/** The address that is named, else of the environment, else of the login. */
export async function urlOf(command: Command): Promise<string> {
  const { url } = command.optsWithGlobals<Common>();
  const named = url ?? variable('WORKSPACE_URL') ?? (await readProfile())?.url ?? defaultUrl;
  if (!/^https?:\/\/[^/]/.test(named) || !URL.canParse(named))
    throw new Failure(`${named} isn't an address like https://workspace.example.com.`, exitCodes.usage);
  return named.replace(/\/+$/, '');
}

/** What is kept of a login at this address: tokens and projects of another service are not for it. */
export async function profileAt(url: string): Promise<Profile | undefined> {
  const profile = await readProfile();
  return profile?.url === url ? profile : undefined;
}

export async function contextOf(command: Command): Promise<Context> {
  const { project } = command.optsWithGlobals<Common>();
  const output = outputOf(command);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new DOMException('Stopped.', 'AbortError')));
  const baseUrl = await urlOf(command);
  const workspace = createWorkspace({
    baseUrl,
    auth: await authOf(baseUrl),
    onRetry: ({ attempts, status }) => {
      const what = status === undefined ? 'No answer' : `Answered ${status}`;
      if (attempts === 2) output.hint(output.dim(`${what} from ${baseUrl}. Trying again for a minute.`));
    },
  });
  return {
    workspace,
    output,
    signal: stop.signal,
    project: async () => project ?? (await profileAt(baseUrl))?.projectId ?? onlyProject(workspace),
  };
}

async function authOf(url: string): Promise<Auth> {
  const token = variable('WORKSPACE_TOKEN');
  if (token !== undefined) return accessToken(token);
  const [clientId, clientSecret] = [variable('WORKSPACE_CLIENT_ID'), variable('WORKSPACE_CLIENT_SECRET')];
  if (clientId !== undefined && clientSecret !== undefined)
    return clientCredentials({ clientId, clientSecret });
  if ((await profileAt(url))?.tokens === undefined)
    throw new Failure(
      `You're not logged in at ${url}. Run \`workspace login --url ${url}\`, or set WORKSPACE_CLIENT_ID and WORKSPACE_CLIENT_SECRET.`,
      exitCodes.login,
    );
  return login(tokenStore, 'cli');
}

async function onlyProject(workspace: Workspace): Promise<string> {
  const { items: projects } = await workspace.get('/v1/projects', { params: { query: { limit: 2 } } });
  const [first, second] = projects;
  if (first === undefined)
    throw new Failure('There are no projects yet. Create one: workspace projects create NAME');
  if (second !== undefined)
    throw new Failure(
      'There are several projects. Name one with --project, or choose a default: workspace projects use ID',
    );
  return first.id;
}

/** A table or view by its id or its name. */
export async function tableOf({ workspace }: Context, named: string): Promise<{ id: string; name: string }> {
  const [{ tables }, { views }] = await Promise.all([
    workspace.get('/v1/tables'),
    workspace.get('/v1/views'),
  ]);
  const all = [...tables, ...views];
  const found =
    all.find(({ id, name }) => id === named || name === named) ??
    all.find(({ name }) => name.toLowerCase() === named.toLowerCase());
  if (found === undefined) throw new Failure(`There is no table ${named}. List the tables: workspace tables`);
  return found;
}

/** Beyond it a list is not for reading. */
export const most = 10_000;

/** An option that may be given several times. */
export const collect = (each: string, all: string[] = []): string[] => [...all, each];
