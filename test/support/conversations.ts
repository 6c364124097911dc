import { afterAll, beforeAll, expect } from 'vitest';
import { parseEvent, type SeenEvent } from './conversation-events.ts';
import { eventually } from './eventually.ts';
import { type ModelScript, type ModelServer, startModelServer } from './model-server.ts';
import type { Answer, TestClient, Workspace } from './workspace.ts';

/** A scripted provider for the file; call it before `useWorkspace`, and pass its `environment` to that. */
export function useModelServer(script: ModelScript): ModelServer & { environment: () => NodeJS.ProcessEnv } {
  const server = {} as ModelServer & { environment: () => NodeJS.ProcessEnv };
  server.environment = () => ({ MODEL_BASE_URL: server.url, MODEL_IDS: 'scripted' });
  beforeAll(async () => {
    Object.assign(server, await startModelServer(script));
  });
  afterAll(() => server.close());
  return server;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Data = any;

/** One conversation as a client sees it. */
export interface Talk {
  url: string;
  id: string;
  projectId: string;
  show(): Promise<Data>;
  post(body: object | string): Promise<Answer>;
  /** Posts, and returns the reply once it has ended. */
  ask(body: object | string): Promise<Data>;
  message(id: string): Promise<Data>;
  ended(id: string): Promise<Data>;
  cancel(id: string): Promise<Answer>;
  queued(id: string): Promise<Data>;
}

export async function projectOf(client: TestClient): Promise<string> {
  const { body } = await client.call('POST', '/v1/projects', { body: { name: 'Analysis' } });
  return body.data.id;
}

export async function talkIn(client: TestClient, projectId?: string): Promise<Talk> {
  const project = projectId ?? (await projectOf(client));
  const made = await client.call('POST', `/v1/projects/${project}/conversations`, { body: {} });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body.data;
  const url = `/v1/projects/${project}/conversations/${id}`;
  const get = async (path: string) => (await client.call('GET', `${url}${path}`)).body.data;
  const post = (body: object | string) =>
    client.call('POST', `${url}/messages`, { body: typeof body === 'string' ? { message: body } : body });
  const message = (messageId: string) => get(`/messages/${messageId}`);
  const ended = (messageId: string) =>
    eventually(
      () => message(messageId),
      ({ status }) => status !== 'streaming',
    );
  return {
    url,
    id,
    projectId: project,
    show: () => get(''),
    post,
    async ask(body) {
      const answer = await post(body);
      expect(answer.status, answer.text).toBe(202);
      return ended(answer.body.data.messageId);
    },
    message,
    ended,
    cancel: (messageId) => client.call('POST', `${url}/messages/${messageId}/cancel?confirm=true`),
    queued: (queuedId) => get(`/queue/${queuedId}`),
  };
}

/** Reads a conversation's events over a real connection, until `until` holds or the stream ends. */
export async function readEvents(
  workspace: Pick<Workspace, 'listen'>,
  client: TestClient,
  url: string,
  until: (events: readonly SeenEvent[]) => boolean,
): Promise<SeenEvent[]> {
  const stop = new AbortController();
  const response = await fetch(`${await workspace.listen()}${url}`, {
    headers: { authorization: `Bearer ${await client.token()}` },
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  const seen: SeenEvent[] = [];
  let rest = '';
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event !== undefined) seen.push(event);
        if (until(seen)) return seen;
      }
    }
    return seen;
  } finally {
    stop.abort();
  }
}
